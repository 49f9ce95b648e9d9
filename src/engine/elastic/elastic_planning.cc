// How an elastic runner plans: it rehearses, plans, reads what is pinned, and
// plans again when times, memory or budgets change.

#include <algorithm>

#include "core/platform/cache_folder.h"
#include "core/platform/clock.h"
#include "core/platform/memory.h"
#include "core/platform/program_pages.h"
#include "engine/device/code_cost_file.h"
#include "engine/device/device_profile_file.h"
#include "engine/elastic/elastic_runner.h"
#include "engine/elastic/make_problem.h"
#include "engine/elastic/process_margin.h"
#include "engine/plan/policies.h"
#include "engine/plan/predict.h"

namespace stint {
namespace {

// With a latency to keep there may be other plans later, made beside weights.
constexpr int64_t kReplanBytes = 256 << 10;
// Of one thread, for checksums of what has just been read: 10 GB/s.
constexpr double kCheckNsPerByte = 0.1;
// How often a session looks whether the system is short of memory.
constexpr int64_t kLookForPressureNs = 200'000'000;

}  // namespace

void ElasticRunner::SetRehearsing(bool on) {
  rehearsing_ = on;
  for (auto& table : tables_) table->set_rehearsing(on);
  if (on) program_->layers().SetPlanes(zeros_.data());
}

// Binds the program to the shapes, which touches much that later runs do not.
Status ElasticRunner::WarmUp() {
  EndPhase();
  SetRehearsing(true);
  std::vector<Value> outputs;
  const Status status = runner()->RunInto(prepared_inputs_, &outputs);
  SetRehearsing(false);
  EndPhase();
  return status;
}

void ElasticRunner::EndPhase() const {
  if (options_.budget.memory_bytes == 0) return;
  const ShardFile& shards = *package_->shards;
  shards.file->Release(shards.bytes);
  ReleaseFreeHeap();
  ReleaseProgramPages();
}

Status ElasticRunner::Rehearse() {
  if (options_.shares != nullptr) options_.shares->ReleaseOthers(&share_);
  STINT_RETURN_IF_ERROR(Bind(-1));
  STINT_RETURN_IF_ERROR(WarmUp());
  SetRehearsing(true);
  auto costs = MeasureLayers(prepared_inputs_, package_->shards->catalog.bits,
                             &program_->layers(), runner());
  SetRehearsing(false);
  if (!costs.ok()) return costs.status();
  costs_ = *std::move(costs);
  rehearsed_ = true;
  fixed_bytes_ = FixedBytesNow();
  if (options_.budget.latency.count() > 0) fixed_bytes_ += kReplanBytes;
  return OkStatus();
}

int64_t ElasticRunner::FixedBytesNow() const {
  int64_t weights = share_.weight_bytes;
  if (options_.shares != nullptr) {
    weights += options_.shares->WeightsOfOthers(&share_);
  }
  return std::max<int64_t>(0, ResidentBytes() - weights) + kProcessMarginBytes;
}

Status ElasticRunner::MakePlan() {
  const Status status = PlanAndApply();
  // What the others may have now is no longer there to go back to.
  if (status.ok() || plan_.layers.empty() || share_.stale) return status;
  // All as it was, the ring included.
  STINT_RETURN_IF_ERROR(Apply(problem_, plan_));
  return status;
}

// Everything that a plan is made from, as it is known now.
PlanProblem ElasticRunner::MakeProblemNow() const {
  ProblemInputs inputs;
  inputs.catalog = &package_->shards->catalog;
  inputs.layers = layers_;
  inputs.costs = costs_;
  const auto profile =
      LoadDeviceProfile(CacheFolder(), site_.isa, site_.threads);
  inputs.read = ReadCostOf(
      ReadTimesOf(profile.ok() ? *profile : DeviceProfile(), options_.storage));
  for (const auto& table : tables_) {
    const RowCounts counts = table->counts();
    const double missing = counts.rows_wanted == 0
                               ? 1
                               : static_cast<double>(counts.rows_read) /
                                     static_cast<double>(counts.rows_wanted);
    inputs.rows_ns += inputs.read.latency_ns +
                      missing * static_cast<double>(table->wanted()) *
                          inputs.read.ns(kBlockBytes);
  }
  inputs.check_ns_per_byte = kCheckNsPerByte / pool_->threads();
  inputs.Scale(history_.compute_scale(), history_.read_scale());
  inputs.fixed_bytes = fixed_bytes_;
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

Status ElasticRunner::PlanAndApply() {
  // Planning takes memory, too, and the ring is of no use meanwhile.
  if (options_.budget.memory_bytes > 0) {
    stream_->DropRing();
    share_.weight_bytes =
        std::min(share_.weight_bytes, plan_.predicted.pinned_bytes);
  }
  EndPhase();
  if (options_.shares != nullptr) {
    share_.fixed_bytes = std::max(fixed_bytes_, FixedBytesNow());
  }
  PlanProblem problem = MakeProblemNow();
  whole_problem_ = problem;
  // Later budgets hold from then on: what was taken before is past.
  const int64_t peak = plan_.layers.empty() ? PeakResidentBytes() : 0;
  if (problem.memory_bytes > 0 && peak > problem.memory_bytes) {
    return BudgetInfeasible("memory " + std::to_string(problem.memory_bytes) +
                            " bytes: the process has taken " +
                            std::to_string(peak) + " without weights");
  }
  STINT_ASSIGN_OR_RETURN(const Plan plan, MakePlanBy(options_.policy, problem));
  return Apply(RestrictTo(problem, plan), plan);
}

Status ElasticRunner::DropWeights() {
  StreamSetup nothing;
  nothing.units = program_->layers().units();
  share_.weight_bytes = 0;
  return stream_->Change(std::move(nothing));
}

Status ElasticRunner::Apply(const PlanProblem& problem, const Plan& plan) {
  if (options_.shares != nullptr) options_.shares->MakeRoom(&share_);
  if (plan.sub_model != sub_model_ && options_.budget.memory_bytes > 0) {
    // Binding touches much: not beside weights.
    STINT_RETURN_IF_ERROR(DropWeights());
    STINT_RETURN_IF_ERROR(Bind(plan.sub_model));
    STINT_RETURN_IF_ERROR(WarmUp());
  }
  STINT_RETURN_IF_ERROR(Bind(plan.sub_model));
  CodedLayers& layers = program_->layers();
  StreamSetup setup;
  setup.units = layers.units();
  setup.ring_bytes = plan.ring_bytes;
  setup.request_bytes = problem.request_bytes;
  std::vector<std::vector<int>> bits;
  for (size_t s = 0; s < plan.layers.size(); ++s) {
    std::vector<int>& stage = setup.stages.emplace_back();
    const auto& groups = plan.layers[s].units;
    for (size_t g = 0; g < groups.size(); ++g) {
      for (size_t u = 0; u < groups[g].size(); ++u) {
        if (groups[g][u] == UnitUse::kUnused) continue;
        const int unit = layers.unit(static_cast<int>(s), g, u);
        stage.push_back(unit);
        setup.units[static_cast<size_t>(unit)].pinned =
            groups[g][u] == UnitUse::kPinned;
      }
    }
    std::vector<int>& slices = bits.emplace_back();
    for (int i = 0; i < problem.layers[s].slices(); ++i) {
      slices.push_back(BitsOf(problem.layers[s], plan.layers[s], i));
    }
  }
  STINT_RETURN_IF_ERROR(stream_->Change(std::move(setup)));
  share_.weight_bytes = plan.predicted.pinned_bytes + plan.ring_bytes;
  share_.stale = false;
  STINT_RETURN_IF_ERROR(OfFile(stream_->ReadPinned()));
  layers.SetBits(bits);
  problem_ = problem;
  plan_ = plan;
  history_.Restart();
  EndPhase();
  return OkStatus();
}

// Without a budget everything is in memory whatever it costs, and the first
// answer need not wait for a rehearsal.
void ElasticRunner::Estimate(std::span<const Value> inputs) {
  const int64_t rows =
      inputs.empty() || !inputs[0].is_tensor() || inputs[0].tensor().rank() > 2
          ? 1
          : std::max<int64_t>(1, inputs[0].tensor().size());
  costs_ = EstimateLayers(
      rows, *CodeCostsFor(CacheFolder(), site_.isa, site_.threads),
      program_->layers());
  fixed_bytes_ = ResidentBytes() + kProcessMarginBytes;
}

Status ElasticRunner::OfFile(const Status& status) const {
  const bool read =
      status.code() == StatusCode::kDamaged || status.code() == StatusCode::kIo;
  return read ? status.Annotate(package_->shards->file->path()) : status;
}

Status ElasticRunner::Prepare(std::span<const Value> inputs) {
  prepared_inputs_ = std::vector<Value>(inputs.begin(), inputs.end());
  const Budget& budget = options_.budget;
  if (options_.saved.has_value()) {
    STINT_RETURN_IF_ERROR(UseSavedPlan(prepared_inputs_));
    prepared_size_ = options_.saved->input_elements;
    return OkStatus();
  }
  if (budget.latency.count() == 0 && budget.memory_bytes == 0) {
    STINT_RETURN_IF_ERROR(Bind(-1));
    Estimate(prepared_inputs_);
  } else {
    STINT_RETURN_IF_ERROR(Rehearse());
  }
  STINT_RETURN_IF_ERROR(MakePlan());
  prepared_size_ = SizeOf(prepared_inputs_);
  // The caller's next inputs would have to stand beside them.
  if (rehearsed_) prepared_inputs_.clear();
  return OkStatus();
}

Status ElasticRunner::SetBudget(const Budget& budget) {
  const Budget before = options_.budget;
  SetLimits(budget);
  allowed_bytes_ = 0;
  options_.saved.reset();
  if (prepared_size_ == 0) return OkStatus();
  const Status status = rehearsed_ ? MakePlan() : Prepare(prepared_inputs_);
  if (status.ok()) {
    ++counts_.replans;
  } else {
    options_.budget = before;
  }
  return status;
}

Status ElasticRunner::Replan() {
  STINT_RETURN_IF_ERROR(
      options_.saved.has_value() ? UseSavedPlan(prepared_inputs_) : MakePlan());
  ++counts_.replans;
  return OkStatus();
}

Status ElasticRunner::YieldMemory() {
  if (options_.saved.has_value()) return OkStatus();
  const int64_t now = NowNs();
  if (now - looked_ns_ < kLookForPressureNs) return OkStatus();
  looked_ns_ = now;
  if (!pressure_.Rose(ResidentBytes())) return OkStatus();
  const int64_t weights = plan_.predicted.pinned_bytes + plan_.ring_bytes;
  const int64_t before = allowed_bytes_;
  allowed_bytes_ = plan_.predicted.peak_bytes - weights / 4;
  const Status status = MakePlan();
  if (status.code() == StatusCode::kBudgetInfeasible) {
    allowed_bytes_ = before;  // there is nothing to give
    return OkStatus();
  }
  ++counts_.replans;
  return status;
}

Status ElasticRunner::Refit(double run_ns, double wait_ns) {
  const double compute = ComputeNs(problem_, plan_.layers) +
                         problem_.check_ns_per_byte *
                             static_cast<double>(plan_.predicted.stream_bytes);
  history_.Add({run_ns - wait_ns, compute, run_ns,
                plan_.predicted.latency_ns / problem_.slowdown});
  if (options_.budget.latency.count() == 0 || options_.saved.has_value() ||
      !history_.Drifted(options_.budget.percentile, problem_.slowdown)) {
    return OkStatus();
  }
  ++counts_.replans;
  const Status status = MakePlan();
  // A budget that can no longer be kept is missed and counted.
  if (status.code() == StatusCode::kBudgetInfeasible) {
    history_.Restart();
    return OkStatus();
  }
  return status;
}

}  // namespace stint
