// How an elastic runner plans, and when it plans again: other shapes, budgets,
// times or memory.

#include <algorithm>

#include "core/platform/clock.h"
#include "core/platform/memory/memory.h"
#include "engine/device/device_profile_file.h"
#include "engine/elastic/elastic_runner.h"
#include "engine/elastic/make_problem.h"
#include "engine/elastic/memory/process_margin.h"
#include "engine/plan/predict.h"

namespace stint {
namespace {

// Of one thread, for checksums of what has just been read: 10 GB/s.
constexpr double kCheckNsPerByte = 0.1;
// How often a session looks whether the system is short of memory, and at its
// own.
constexpr int64_t kLookForPressureNs = 200'000'000;
constexpr int64_t kWatchNs = 20'000'000;
// What a session that took too much leaves free besides.
constexpr int64_t kSpareBytes = 128 << 10;
// After a plan made beside the runs could not be put to use.
constexpr int64_t kRetryNs = 2'000'000'000;

bool SameUse(const Plan& a, const Plan& b) {
  const auto same = [](const LayerPlan& x, const LayerPlan& y) {
    return x.units == y.units;
  };
  return a.sub_model == b.sub_model && a.ring_bytes == b.ring_bytes &&
         std::equal(a.layers.begin(), a.layers.end(), b.layers.begin(),
                    b.layers.end(), same);
}

}  // namespace

ElasticRunner::Basis ElasticRunner::Keep() const {
  return {known_, executable_->warm(), short_, allowed_bytes_,
          share_.fixed_bytes};
}

void ElasticRunner::PutBack(Basis basis) {
  known_ = std::move(basis.known);
  executable_->set_warm(std::move(basis.warm));
  short_ = basis.short_of;
  allowed_bytes_ = basis.allowed_bytes;
  share_.fixed_bytes = basis.shared_fixed_bytes;
}

Status ElasticRunner::Prepare(std::span<const Value> inputs) {
  beside_ = nullptr;
  if (options_.saved.has_value()) return UseSavedPlan(inputs);
  Basis before = Keep();
  short_.reset();
  const InputShapes shapes = known_.shapes = InputShapes::Of(inputs);
  const auto kept = kept_.At(shapes.batch(), shapes.elements());
  const bool first = before.known.elements == 0;
  Status status;
  const bool known_before = first && kept.has_value() &&
                            kept->memory_bytes > 0 && !options_.explain_memory;
  if (known_before && PlanFromKept(*kept).ok()) {
    executable_->set_warm(
        {shapes, kept->memory_bytes, executable_->warm().activation_bytes});
  } else {
    status = Learn(inputs);
    if (status.ok()) status = MakePlan();
  }
  if (status.ok()) {
    known_.elements = shapes.elements();
  } else {
    PutBack(std::move(before));
  }
  return status;
}

Status ElasticRunner::MakePlan() {
  const int64_t fixed_bytes = known_.fixed_bytes;
  const int64_t shared_bytes = share_.fixed_bytes;
  const Status status = ChooseAndDeploy();
  if (!status.ok()) {
    known_.fixed_bytes = fixed_bytes;
    share_.fixed_bytes = shared_bytes;
  }
  return status;
}

Status ElasticRunner::ChooseAndDeploy() {
  const int64_t start = NowNs();
  beside_ = nullptr;
  // Planning takes memory, too, and the ring is of no use meanwhile.
  if (options_.budget.memory_bytes > 0) executable_->DropRing();
  executable_->EndPhase();
  share_.weight_bytes = executable_->weight_bytes();
  if (options_.budget.memory_bytes > 0) {
    if (options_.shares != nullptr && executable_->IsShortOfRoom()) {
      options_.shares->ReleaseShapesOfOthers(&share_);
    }
    // The host of the session may have grown.
    known_.fixed_bytes = std::max(known_.fixed_bytes, FixedBytesNow());
    share_.fixed_bytes = known_.fixed_bytes;
  }
  const PlanProblem problem = MakeProblemNow();
  // What was taken before this session, or within other budgets, is past.
  const int64_t peak = PeakResidentBytes();
  if (problem.memory_bytes > 0 && peak > problem.memory_bytes &&
      !executable_->has_plan() && peak > peak_bytes_) {
    return BudgetInfeasible("memory " + std::to_string(problem.memory_bytes) +
                            " bytes: the process has taken " +
                            std::to_string(peak) + " without weights");
  }
  STINT_ASSIGN_OR_RETURN(
      ChosenPlan chosen,
      ChoosePlan(options_.policy, problem, options_.budget.best_effort));
  bool hurried = false;
  if (options_.budget.from_launch && counts_.runs == 0) {
    STINT_ASSIGN_OR_RETURN(hurried, HurryFirstRun(problem, &chosen));
  }
  counts_.last.plan_ms += MsSince(start);
  STINT_RETURN_IF_ERROR(Deploy(problem, std::move(chosen)));
  hurried_ = hurried;
  return OkStatus();
}

Status ElasticRunner::Deploy(const PlanProblem& problem, ChosenPlan chosen) {
  const int64_t start = NowNs();
  if (options_.shares != nullptr) options_.shares->MakeRoom(&share_);
  Deployment next{RestrictTo(problem, chosen.plan), std::move(chosen.plan)};
  // There is nothing to go on with if reading fails later.
  const bool read_in_run = run_follows_ && !executable_->has_plan();
  const Status status = executable_->Deploy(std::move(next), read_in_run);
  counts_.last.bind_ms += MsSince(start);
  share_.weight_bytes = executable_->weight_bytes();
  STINT_RETURN_IF_ERROR(status);
  whole_problem_ = problem;
  keeps_latency_ = chosen.keeps_latency;
  hurried_ = false;
  share_.stale = false;
  history_.Restart(NowNs());
  return OkStatus();
}

// Everything that a plan is made from, as it is known now.
PlanProblem ElasticRunner::MakeProblemNow() const {
  ProblemInputs inputs;
  inputs.catalog = &package_->shards->catalog;
  inputs.layers = executable_->layers();
  inputs.costs = known_.costs;
  const auto profile =
      LoadDeviceProfile(options_.cache_folder, site_.isa, site_.threads);
  inputs.read = ReadCostOf(
      ReadTimesOf(profile.ok() ? *profile : DeviceProfile(), options_.storage));
  for (const auto& table : executable_->tables()) {
    const RowCounts counts = table->counts();
    // One for each token, where no rehearsal has counted them.
    const int64_t rows =
        table->wanted() > 0 ? table->wanted() : known_.shapes.first_elements();
    const double missing = counts.rows_wanted == 0
                               ? 1
                               : static_cast<double>(counts.rows_read) /
                                     static_cast<double>(counts.rows_wanted);
    inputs.rows_ns += inputs.read.latency_ns + missing *
                                                   static_cast<double>(rows) *
                                                   inputs.read.ns(kBlockBytes);
  }
  inputs.check_ns_per_byte = kCheckNsPerByte / pool_->threads();
  inputs.ScaleReading(history_.read_scale());
  inputs.fixed_bytes = known_.fixed_bytes;
  // What others may take is as good as taken.
  if (const MemoryShares* shares = options_.shares.get()) {
    inputs.fixed_bytes =
        std::max(shares->FixedBytes(),
                 shares->budget_bytes() - shares->BytesOf(&share_));
  }
  inputs.budget = options_.budget;
  if (allowed_bytes_ > 0) inputs.budget.memory_bytes = allowed_bytes_;
  inputs.slowdown = history_.Slowdown(options_.budget.percentile);
  return MakeProblem(inputs);
}

Status ElasticRunner::SetBudget(const Budget& budget) {
  const Budget budget_before = options_.budget;
  Basis before = Keep();
  auto saved_before = std::exchange(options_.saved, std::nullopt);
  allowed_bytes_ = 0;
  short_.reset();
  SetLimits(budget);
  if (known_.elements == 0) return OkStatus();
  Status status;
  const bool limits = options_.budget.memory_bytes > 0;
  if (known_.costs_measured && (known_.memory_measured || !limits)) {
    status = MakePlan();
  } else {
    const auto zeros = known_.shapes.Zeros();
    status = zeros.ok() ? Prepare(*zeros) : zeros.status();
  }
  if (status.ok()) {
    ++counts_.replans;
    return status;
  }
  SetLimits(budget_before);
  PutBack(std::move(before));
  options_.saved = std::move(saved_before);
  return status;
}

Status ElasticRunner::Replan() {
  if (options_.saved.has_value()) {
    STINT_ASSIGN_OR_RETURN(const auto zeros, known_.shapes.Zeros());
    STINT_RETURN_IF_ERROR(UseSavedPlan(zeros));
  } else {
    STINT_RETURN_IF_ERROR(MakePlan());
  }
  ++counts_.replans;
  return OkStatus();
}

Status ElasticRunner::FitShapes(std::span<const Value> inputs) {
  MemoryShares* shares = options_.shares.get();
  if (shares == nullptr || options_.budget.memory_bytes == 0) return OkStatus();
  const bool again = shares->TakeTurn(&share_);
  if (again && executable_->IsReadyFor(inputs)) return OkStatus();
  const Status bound = executable_->BindShapes(inputs);
  if (bound.ok() && executable_->HasRoomToRun()) return bound;
  shares->ReleaseShapesOfOthers(&share_);
  if (!bound.ok()) STINT_RETURN_IF_ERROR(executable_->BindShapes(inputs));
  const bool fits = executable_->HasRoomToRun();
  return fits || options_.saved.has_value() ? OkStatus() : Replan();
}

void ElasticRunner::PlanBeside() {
  if (beside_ != nullptr || options_.saved.has_value()) return;
  if (refused_ns_ > 0 && NowNs() - refused_ns_ < kRetryNs) return;
  // Runs may have touched more than when it was measured.
  if (options_.budget.memory_bytes > 0) {
    known_.fixed_bytes = std::max(known_.fixed_bytes, FixedBytesNow());
  }
  beside_ = std::make_unique<PlanAside>(options_.policy, MakeProblemNow());
}

// What cannot be planned or read leaves the plan as it is.
void ElasticRunner::TakePlanBeside() {
  if (beside_ == nullptr) return;
  if (short_.has_value() || share_.stale) {
    beside_ = nullptr;  // made for memory that is no longer there
    return;
  }
  if (!beside_->ready()) return;
  const std::unique_ptr<PlanAside> beside = std::move(beside_);
  Result<ChosenPlan> chosen = beside->Take();
  executable_->EndPhase();  // what planning took
  const bool differs = chosen.ok() && !SameUse(chosen->plan, plan());
  if (chosen.ok() && Deploy(beside->problem(), *std::move(chosen)).ok()) {
    counts_.replans += differs ? 1 : 0;
    refused_ns_ = 0;
  } else {
    refused_ns_ = NowNs();
    history_.Restart(refused_ns_);
  }
}

void ElasticRunner::Watch(std::span<const Value> inputs,
                          const ElasticExecutable::Times& times) {
  const int64_t elements = SizeOf(inputs);
  const bool other = elements != last_elements_;
  if (other && last_elements_ != 0 && lengths_ == Lengths::kSame) {
    ExpectOtherLengths();
  }
  WatchMemory(other);
  last_elements_ = elements;
  if (!short_.has_value()) YieldMemory();
  // Shorter inputs say nothing of the plan.
  if (elements >= known_.elements) Refit(times);
  SettleMemory();
}

// Memory that was found to be short is given back at once; the plan for less
// is that of the next run, so that Report() is of the plan that answered.
void ElasticRunner::GiveWay(int64_t fixed_bytes, int64_t allowed_bytes) {
  (void)executable_->DropWeights();
  share_.weight_bytes = 0;
  short_ = Limits{known_.fixed_bytes, allowed_bytes_, lengths_};
  known_.fixed_bytes = fixed_bytes;
  allowed_bytes_ = allowed_bytes;
}

void ElasticRunner::PlanForLess() {
  if (!short_.has_value()) return;
  const Limits before = *std::exchange(short_, std::nullopt);
  if (MakePlan().ok()) {
    ++counts_.replans;
    return;
  }
  // There is nothing to give.
  known_.fixed_bytes = before.fixed_bytes;
  allowed_bytes_ = before.allowed_bytes;
  lengths_ = before.lengths;
}

void ElasticRunner::WatchMemory(bool at_once) {
  const int64_t limit = options_.budget.memory_bytes;
  const int64_t now = NowNs();
  if (limit == 0 || (!at_once && now - watched_ns_ < kWatchNs)) return;
  watched_ns_ = now;
  const int64_t peak = PeakResidentBytes();
  const bool rose = peak > peak_bytes_;
  peak_bytes_ = std::max(peak, peak_bytes_);
  const int64_t resident = ResidentBytes();
  // Resident memory is counted a little apart from its peak: it decides only
  // where the peak is of an earlier budget.
  int64_t over = 0;
  if (rose) {
    over = peak - limit;
  } else if (peak_bytes_ > limit) {
    over = resident - limit;
  }
  if (over <= 0) {
    // Pages of the program that few runs need add up.
    const int64_t besides = resident - executable_->weight_bytes();
    if (besides > known_.fixed_bytes - kProcessMarginBytes / 2) {
      executable_->EndPhase();
    }
    return;
  }
  ++counts_.over_memory;
  counts_.most_over_bytes = std::max(counts_.most_over_bytes, over);
  if (options_.saved.has_value()) return;
  GiveWay(known_.fixed_bytes + over + kSpareBytes, allowed_bytes_);
}

void ElasticRunner::YieldMemory() {
  if (options_.saved.has_value()) return;
  const int64_t now = NowNs();
  if (now - looked_ns_ < kLookForPressureNs) return;
  looked_ns_ = now;
  if (!pressure_.Rose(ResidentBytes())) return;
  const Prediction& predicted = plan().predicted;
  const int64_t weights = predicted.pinned_bytes + plan().ring_bytes;
  GiveWay(known_.fixed_bytes, predicted.peak_bytes - weights / 4);
}

void ElasticRunner::Refit(const ElasticExecutable::Times& times) {
  const int64_t now = NowNs();
  const double compute = ComputeNs(problem(), plan().layers) +
                         problem().check_ns_per_byte *
                             static_cast<double>(plan().predicted.stream_bytes);
  history_.Add({times.run_ns - times.wait_ns, compute, times.run_ns,
                plan().predicted.latency_ns / problem().slowdown},
               now);
  if (options_.budget.latency.count() == 0 || options_.saved.has_value() ||
      beside_ != nullptr) {
    return;
  }
  const RunHistory::InUse in_use{
      problem().slowdown, static_cast<double>(options_.budget.latency.count()) /
                              plan().predicted.latency_ns};
  if (history_.Drifted(options_.budget.percentile, in_use, now)) PlanBeside();
}

}  // namespace stint
