#include "lab/tune/share_budget.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/device/conv_costs.h"

namespace stint {
namespace {

constexpr size_t kNeighbors = 3;
constexpr size_t kPlansOfNeighbor = 2;
// The model forgets what is older.
constexpr size_t kModelTrials = 2000;
// Trials after which it learns anew.
constexpr size_t kRefit = 64;
// Generations of a layer in a row: its weights are packed only once.
constexpr int kVisit = 4;
// Generations without gain after which a layer is done.
constexpr int kPatience = 60;

double Log(int64_t value) { return std::log2(static_cast<double>(1 + value)); }

// Logarithms of sizes, so that twice as much is as far everywhere.
double Distance(const ConvF32Shape& a, const ConvF32Shape& b) {
  double sum = 0;
  const auto add = [&](int64_t x, int64_t y, double weight) {
    sum += weight * std::abs(Log(x) - Log(y));
  };
  add(a.in_channels, b.in_channels, 1);
  add(a.out_channels, b.out_channels, 1);
  add(a.out_h, b.out_h, 1);
  add(a.out_w, b.out_w, 2);
  add(a.taps(), b.taps(), 4);
  add(a.stride_w, b.stride_w, 4);
  add(a.groups, b.groups, 4);
  add(a.batch, b.batch, 1);
  return sum;
}

class BudgetSharer {
 public:
  BudgetSharer(const ShareOptions& options, std::vector<Trial>* known,
               std::vector<TuneTask>* tasks)
      : options_(options), known_(*known), tasks_(*tasks) {}

  Status Run() {
    visits_.assign(tasks_.size(), 0);
    while (!Over()) {
      const size_t next = Next();
      if (next == tasks_.size()) return OkStatus();
      STINT_RETURN_IF_ERROR(Visit(next));
    }
    return OkStatus();
  }

 private:
  bool Over() const {
    return options_.now() >= options_.deadline ||
           (options_.interrupted && options_.interrupted());
  }

  bool Done(const LayerSearch& search) const {
    return search.exhausted() || search.trials() >= options_.trials ||
           search.idle_generations() >= kPatience;
  }

  // What a layer may still gain falls with every generation that gained
  // nothing.
  size_t Next() const {
    size_t best = tasks_.size();
    double most = -1;
    for (size_t i = 0; i < tasks_.size(); ++i) {
      const LayerSearch& search = tasks_[i].search;
      if (Done(search)) continue;
      // Every layer is looked at once before any is twice.
      const double promise =
          visits_[i] == 0 ? 1e9
                          : tasks_[i].share / (1.0 + search.idle_generations());
      if (promise > most) {
        most = promise;
        best = i;
      }
    }
    return best;
  }

  Status Visit(size_t at) {
    LayerSearch& search = tasks_[at].search;
    if (visits_[at]++ == 0) {
      search.Suggest(NeighborPlans(known_, search.layer(), search.problem()));
    }
    STINT_ASSIGN_OR_RETURN(const auto timer, options_.timer(search.problem()));
    for (int i = 0; i < kVisit && !Over() && !Done(search); ++i) {
      Learn();
      STINT_ASSIGN_OR_RETURN(const std::vector<Trial> made,
                             search.Generation(model_, timer.get()));
      STINT_RETURN_IF_ERROR(options_.record(made));
      known_.insert(known_.end(), made.begin(), made.end());
    }
    if (options_.progress) {
      const auto& ranked = search.ranked();
      options_.progress({at + 1, tasks_.size(), search.layer(),
                         ranked.empty() ? 0 : ranked.front().us * 1e-3,
                         search.trials(), options_.trials});
    }
    return OkStatus();
  }

  void Learn() {
    if (learned_ > 0 && known_.size() < learned_ + kRefit) return;
    learned_ = known_.size();
    std::vector<PlanFeatures> features;
    std::vector<double> costs;
    const size_t first =
        known_.size() > kModelTrials ? known_.size() - kModelTrials : 0;
    for (size_t i = first; i < known_.size(); ++i) {
      const auto layer = ParseConvLayerName(known_[i].layer);
      if (!layer || tasks_.empty()) continue;
      TuneProblem problem = tasks_[0].search.problem();
      problem.shape = layer->shape;
      problem.input = layer->input;
      features.push_back(FeaturesOf(problem, known_[i].plan));
      costs.push_back(CostOf(problem, known_[i].us));
    }
    model_.Fit(features, costs);
  }

  const ShareOptions& options_;
  std::vector<Trial>& known_;
  std::vector<TuneTask>& tasks_;
  std::vector<int> visits_;
  CostModel model_;
  size_t learned_ = 0;
};

}  // namespace

std::vector<ConvPlan> NeighborPlans(const std::vector<Trial>& known,
                                    const std::string& layer,
                                    const TuneProblem& problem) {
  std::map<std::string, std::vector<const Trial*>> by_layer;
  for (const Trial& trial : known) by_layer[trial.layer].push_back(&trial);
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [name, trials] : by_layer) {
    const auto other = ParseConvLayerName(name);
    if (!other || name == layer || other->input != problem.input) continue;
    order.emplace_back(Distance(other->shape, problem.shape), name);
  }
  std::sort(order.begin(), order.end());
  if (order.size() > kNeighbors) order.resize(kNeighbors);
  std::vector<ConvPlan> plans;
  for (const auto& [distance, name] : order) {
    auto& trials = by_layer[name];
    std::stable_sort(
        trials.begin(), trials.end(),
        [](const Trial* a, const Trial* b) { return a->us < b->us; });
    for (size_t i = 0; i < std::min(kPlansOfNeighbor, trials.size()); ++i) {
      plans.push_back(trials[i]->plan);
    }
  }
  return plans;
}

Status SearchLayers(const ShareOptions& options, std::vector<Trial>* known,
                    std::vector<TuneTask>* tasks) {
  return BudgetSharer(options, known, tasks).Run();
}

}  // namespace stint
