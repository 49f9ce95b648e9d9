#include "lab/tune/tune_network.h"

#include <algorithm>

#include "core/platform/clock.h"
#include "engine/choose/bound_conv.h"
#include "engine/device/conv_costs.h"
#include "engine/device/machine_cache.h"
#include "lab/tune/pick_winners.h"
#include "lab/tune/trial_database.h"

namespace stint {
namespace {

// Shares of the budget: what is left after the search goes to the network as a
// whole.
constexpr double kSearchShare = 0.8;
constexpr double kFinalistShare = 0.1;
constexpr double kVerdictShare = 0.07;
constexpr double kFirstLookShare = 0.02;
constexpr size_t kFinalists = 4;

double Seconds() { return static_cast<double>(NowNs()) * 1e-9; }

class NetworkTuner {
 public:
  NetworkTuner(const Graph& graph, std::vector<Value> inputs,
               const TuneNetworkOptions& options)
      : graph_(graph),
        inputs_(std::move(inputs)),
        options_(options),
        start_(Seconds()) {
    options_.site.schedule_mode = ScheduleMode::kDefault;
    options_.site.schedules = nullptr;
  }

  Result<TuneReport> Run() {
    STINT_ASSIGN_OR_RETURN(TrialDatabase database, OpenTrials());
    STINT_ASSIGN_OR_RETURN(ConvSchedules kept, LoadKept());
    STINT_ASSIGN_OR_RETURN(known_, database.All());
    STINT_ASSIGN_OR_RETURN(
        layers_, FindConvLayers(graph_, inputs_, options_.site, options_.pool));
    timer_ = MakeNetworkTimer(
        {&graph_, inputs_, layers_, options_.site, options_.pool});
    STINT_RETURN_IF_ERROR(MakeTasks(kept));
    STINT_RETURN_IF_ERROR(Search(&database));
    ConvSchedules winners;
    STINT_ASSIGN_OR_RETURN(const NetworkVerdict verdict, Judge(kept, &winners));
    for (const ConvLayer& layer : layers_) kept.Erase(layer.name);
    for (const ConvLayer& layer : layers_) Keep(layer, verdict, winners, &kept);
    STINT_RETURN_IF_ERROR(SaveConvSchedules(options_.folder, options_.site.isa,
                                            options_.pool->threads(), kept));
    return Report(verdict, winners);
  }

 private:
  Result<TrialDatabase> OpenTrials() const {
    return TrialDatabase::Open(
        TrialFile(options_.folder),
        MachineKey::Here(options_.site.isa, options_.pool->threads())
            .ToString());
  }

  Result<ConvSchedules> LoadKept() const {
    const auto kept = LoadConvSchedules(options_.folder, options_.site.isa,
                                        options_.pool->threads());
    if (kept.ok()) return **kept;
    if (kept.status().code() == StatusCode::kNotFound) return ConvSchedules();
    return kept.status();
  }

  // Whether this system lets generated code run.
  void CheckGenerated(const TuneProblem& problem) {
    if (!note_.empty() || !GeneratedConv::Supports(problem.shape, problem.isa))
      return;
    const auto made =
        GeneratedConv::Make(problem.shape, problem.input, {}, problem.isa);
    if (!made.ok()) note_ = made.status().message();
  }

  Status MakeTasks(const ConvSchedules& kept) {
    STINT_ASSIGN_OR_RETURN(
        const auto times,
        timer_->Time({{ScheduleMode::kDefault, nullptr}},
                     kFirstLookShare * options_.budget_seconds));
    for (const ConvLayer& layer : layers_) {
      const TuneProblem problem{layer.shape, layer.input, options_.site.isa,
                                options_.pool->threads()};
      const ConvChoice choice =
          ChooseConv(layer.shape, layer.input, options_.site);
      if (choice.kernel == nullptr) continue;
      weight_bytes_ += layer.count() *
                       choice.kernel->packed_bytes(*choice.kernel, layer.shape);
      const auto share = times[0].layer_us.find(layer.name);
      if (share == times[0].layer_us.end()) continue;
      CheckGenerated(problem);
      TuneTask task{LayerSearch(layer.name, problem, PlanOf(choice),
                                options_.seed + tasks_.size()),
                    share->second};
      if (!note_.empty()) task.search.LeaveOutGenerated();
      task.search.Remember(known_);
      if (const TunedSchedule* before = kept.Find(layer.name)) {
        task.search.Suggest({before->plan});
      }
      tasks_.push_back(std::move(task));
    }
    return OkStatus();
  }

  bool Interrupted() const {
    return options_.interrupted && options_.interrupted();
  }

  Status Search(TrialDatabase* database) {
    ShareOptions share;
    share.trials = options_.trials;
    share.deadline = start_ + kSearchShare * options_.budget_seconds;
    share.now = Seconds;
    share.interrupted = options_.interrupted;
    share.timer = [&, deadline = share.deadline](const TuneProblem& problem) {
      return MakePlanTimer(
          problem, weight_bytes_, [deadline] { return Seconds() > deadline; },
          options_.pool);
    };
    share.record = [&](const std::vector<Trial>& trials) {
      return database->Add(trials);
    };
    share.progress = options_.progress;
    return SearchLayers(share, &known_, &tasks_);
  }

  // What is left of the budget, at most `share` of it.
  double Left(double share) const {
    const double left = start_ + options_.budget_seconds - Seconds();
    return std::clamp(left / 2, 0.0, share * options_.budget_seconds);
  }

  // The schedules that were kept before take part, they stay unless they lose,
  // and so does the fixed one.
  Result<NetworkVerdict> Judge(const ConvSchedules& kept,
                               ConvSchedules* winners) {
    std::vector<LayerFinds> finds;
    for (const TuneTask& task : tasks_) {
      const LayerSearch& search = task.search;
      const auto choice = ChooseConv(search.problem().shape,
                                     search.problem().input, options_.site);
      finds.push_back({search.layer(), PlanOf(choice), search.current_us(),
                       search.ranked()});
    }
    std::vector<ConvSchedules> sets = MakeFinalists(finds, kFinalists);
    const ConvSchedules untuned = Untuned();
    sets.push_back(untuned);
    if (!kept.layers().empty()) sets.push_back(kept);
    std::vector<NetworkVariant> variants = {{ScheduleMode::kDefault, nullptr}};
    for (const ConvSchedules& set : sets) {
      variants.push_back(
          {ScheduleMode::kTuned, std::make_shared<ConvSchedules>(set)});
    }
    STINT_ASSIGN_OR_RETURN(const auto times,
                           timer_->Time(variants, Left(kFinalistShare)));
    *winners = PickWinners(sets, times);
    return JudgeWinners(untuned, timer_.get(), Left(kVerdictShare), winners);
  }

  // The fixed schedule of every layer.
  ConvSchedules Untuned() const {
    KernelSite site = options_.site;
    site.schedule_mode = ScheduleMode::kUntuned;
    ConvSchedules untuned;
    for (const TuneTask& task : tasks_) {
      const LayerSearch& search = task.search;
      const ConvChoice choice =
          ChooseConv(search.problem().shape, search.problem().input, site);
      untuned.Set(search.layer(), {PlanOf(choice), 0, 0});
    }
    return untuned;
  }

  // With the times of one node in the network.
  static void Keep(const ConvLayer& layer, const NetworkVerdict& verdict,
                   const ConvSchedules& winners, ConvSchedules* kept) {
    const TunedSchedule* tuned = winners.Find(layer.name);
    if (tuned == nullptr) return;
    kept->Set(
        layer.name,
        {tuned->plan, verdict.tuned.layer_us.at(layer.name) / layer.count(),
         verdict.by_default.layer_us.at(layer.name) / layer.count()});
  }

  TunedLayerReport RowOf(const ConvLayer& layer, const NetworkVerdict& verdict,
                         const ConvSchedules& winners) const {
    TunedLayerReport row;
    row.layer = layer.name;
    row.count = layer.count();
    const auto us = [&](const NetworkTimes& times) {
      const auto it = times.layer_us.find(layer.name);
      return it == times.layer_us.end() ? 0 : it->second;
    };
    row.untuned_us = us(verdict.untuned);
    row.default_us = row.tuned_us = us(verdict.by_default);
    if (const TunedSchedule* tuned = winners.Find(layer.name)) {
      row.plan = ToText(tuned->plan);
      row.tuned_us = us(verdict.tuned);
    }
    for (const TuneTask& task : tasks_) {
      if (task.search.layer() == layer.name) row.trials = task.search.trials();
    }
    return row;
  }

  TuneReport Report(const NetworkVerdict& verdict,
                    const ConvSchedules& winners) const {
    TuneReport report;
    report.untuned_ms = verdict.untuned.run_us * 1e-3;
    report.default_ms = verdict.by_default.run_us * 1e-3;
    report.tuned_ms = verdict.tuned.run_us * 1e-3;
    for (const ConvLayer& layer : layers_) {
      report.layers.push_back(RowOf(layer, verdict, winners));
      report.trials += report.layers.back().trials;
    }
    report.seconds = Seconds() - start_;
    report.interrupted = Interrupted();
    report.note = note_;
    return report;
  }

  const Graph& graph_;
  const std::vector<Value> inputs_;
  TuneNetworkOptions options_;
  const double start_;
  std::vector<ConvLayer> layers_;
  std::unique_ptr<NetworkTimer> timer_;
  std::vector<TuneTask> tasks_;
  std::vector<Trial> known_;
  int64_t weight_bytes_ = 0;
  std::string note_;
};

}  // namespace

Result<TuneReport> TuneNetwork(const Graph& graph, std::vector<Value> inputs,
                               const TuneNetworkOptions& options) {
  return NetworkTuner(graph, std::move(inputs), options).Run();
}

}  // namespace stint
