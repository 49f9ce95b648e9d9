// What an elastic runner knows of its model on this machine: measured by
// rehearsals, kept for later sessions.

#include <algorithm>
#include <cstdio>

#include "core/platform/memory/memory.h"
#include "engine/device/code_cost_file.h"
#include "engine/device/cost_file.h"
#include "engine/device/machine_cache.h"
#include "engine/elastic/elastic_runner.h"
#include "engine/elastic/memory/explain_memory.h"
#include "engine/elastic/memory/process_margin.h"

namespace stint {
namespace {

// With a latency to keep there may be other plans later, made and put in place
// beside weights: planning MiniLM took 356 to 448 KB, and with 512 KB some of
// 120 busy evaluations in 8 MB came within 70 KB of the budget.
constexpr int64_t kReplanBytes = 640 << 10;
// After some runs a session has touched what it will for the first time, after
// some more again what it needs.
constexpr int64_t kSettledRuns = 3;
constexpr int64_t kMeasuredRuns = 6;
// What lengths that differ touch besides: up to 250 KB of `stint run
// --batch-file`, 120 texts of 3 to 110 words in 7 MB.
constexpr int64_t kMixedLengthsBytes = 448 << 10;
// Of slowdowns that are kept for later sessions.
constexpr double kLeastKept = 1.1;
constexpr double kMostKept = 1.6;

}  // namespace

std::string ElasticRunner::CostsKind() const {
  char kind[32];
  std::snprintf(kind, sizeof(kind), "layers-%016llx",
                static_cast<unsigned long long>(fingerprint_));
  return kind;
}

// What cannot be used is as good as none.
void ElasticRunner::LoadCosts() {
  auto kept = stint::LoadCosts<ModelCosts>(CostsKind(), options_.cache_folder,
                                           site_.isa, site_.threads);
  if (kept.ok() && (*kept)->HaveStages(executable_->layers().size())) {
    kept_ = **kept;
    if (counts_.runs == 0 && kept_.slowdown() > 0) {
      history_ = RunHistory(std::min(kept_.slowdown(), kMostKept));
    }
  } else if (kept_.points().empty()) {
    LoadShippedCosts();
  }
}

// Those that came with the file, if they are of such a machine.
void ElasticRunner::LoadShippedCosts() {
  const std::vector<ShippedCosts>& shipped = package_->shards->costs;
  if (shipped.empty()) return;
  const std::string here =
      MachineKey::Here(site_.isa, site_.threads).ToString();
  for (const ShippedCosts& costs : shipped) {
    if (costs.machine != here) continue;
    auto times = ModelCosts::Parse(costs.times);
    if (times.ok() && times->HaveStages(executable_->layers().size())) {
      kept_ = *std::move(times);
    }
  }
}

// What cannot be written is measured again by the next session.
void ElasticRunner::KeepCosts(const InputShapes& shapes) {
  LoadCosts();  // other processes may have measured meanwhile
  kept_.Add({shapes.batch(), shapes.elements(),
             std::max<int64_t>(1, executable_->warm().warm_up_bytes),
             known_.costs});
  (void)SaveCosts(CostsKind(), options_.cache_folder, site_.isa, site_.threads,
                  kept_);
}

// The next session begins with the room that runs needed here; not with that
// of a machine which was busy for a while.
void ElasticRunner::KeepSlowdown() {
  if (!history_.Knows() || options_.budget.latency.count() == 0) return;
  const double seen = std::clamp(history_.Slowdown(95), kLeastKept, kMostKept);
  LoadCosts();
  const double before = kept_.slowdown() > 0 ? kept_.slowdown() : seen;
  kept_.set_slowdown((before + seen) / 2);
  (void)SaveCosts(CostsKind(), options_.cache_folder, site_.isa, site_.threads,
                  kept_);
}

int64_t ElasticRunner::FixedBytesNow() const {
  int64_t weights = executable_->weight_bytes();
  if (options_.shares != nullptr) {
    weights += options_.shares->WeightsOfOthers(&share_);
  }
  // Of the largest shapes, whichever are bound now.
  const int64_t bound = executable_->runner()->BoundMemory().activation_bytes;
  int64_t bytes = std::max<int64_t>(0, ResidentBytes() - weights - bound) +
                  std::max(bound, executable_->warm().activation_bytes) +
                  kProcessMarginBytes;
  if (lengths_ == Lengths::kMixed) bytes += kMixedLengthsBytes;
  if (options_.budget.latency.count() > 0) bytes += kReplanBytes;
  return bytes;
}

std::vector<MemoryItem> ElasticRunner::Explain() const {
  int64_t row_bytes = 0;
  for (const auto& table : executable_->tables()) {
    row_bytes += table->memory_bytes();
  }
  return ExplainMemory({package_, &executable_->coded_layers(),
                        executable_->runner(), row_bytes,
                        executable_->weight_bytes(), kProcessMarginBytes});
}

// Without a budget everything is in memory whatever it costs, and the first
// answer need not wait for a rehearsal.
Status ElasticRunner::Estimate(std::span<const Value> inputs) {
  STINT_RETURN_IF_ERROR(executable_->BindWhole());
  const int64_t rows =
      inputs.empty() || !inputs[0].is_tensor() || inputs[0].tensor().rank() > 2
          ? 1
          : std::max<int64_t>(1, inputs[0].tensor().size());
  known_.costs = EstimateLayers(
      rows, *CodeCostsFor(options_.cache_folder, site_.isa, site_.threads),
      executable_->coded_layers());
  known_.costs_measured = false;
  known_.memory_measured = false;
  known_.fixed_bytes = ResidentBytes() + kProcessMarginBytes;
  return OkStatus();
}

Status ElasticRunner::Learn(std::span<const Value> inputs) {
  const Budget& budget = options_.budget;
  known_.busy = 1;
  if (budget.latency.count() == 0 && budget.memory_bytes == 0) {
    return Estimate(inputs);
  }
  // It is not known yet how much memory the shapes take.
  if (options_.shares != nullptr) options_.shares->ReleaseOthers(&share_);
  if (executable_->IsShortOfRoom()) {
    STINT_RETURN_IF_ERROR(executable_->DropWeights());
    if (options_.shares != nullptr) {
      options_.shares->ReleaseShapesOfOthers(&share_);
    }
  }
  const InputShapes shapes = InputShapes::Of(inputs);
  const auto kept = kept_.At(shapes.batch(), shapes.elements());
  if (kept.has_value()) {
    STINT_RETURN_IF_ERROR(executable_->WarmUp(inputs));
    known_.costs = kept->costs;
    if (kept->memory_bytes == 0) KeepCosts(shapes);
  } else {
    STINT_ASSIGN_OR_RETURN(MeasuredLayers measured,
                           executable_->Rehearse(inputs));
    known_.costs = std::move(measured.costs);
    known_.busy = measured.busy;
    KeepCosts(shapes);
    // What measuring touched is not needed again.
    executable_->EndPhase();
  }
  STINT_RETURN_IF_ERROR(executable_->TouchRun(inputs));
  known_.costs_measured = true;
  known_.memory_measured = true;
  if (options_.explain_memory) memory_ = Explain();
  known_.fixed_bytes = FixedBytesNow();
  return OkStatus();
}

// Binding and first use of pages then happen in the run itself.
Status ElasticRunner::PlanFromKept(const ModelCosts::Point& kept) {
  known_.costs = kept.costs;
  known_.costs_measured = true;
  known_.memory_measured = false;
  known_.fixed_bytes = FixedBytesNow() + kept.memory_bytes;
  return MakePlan();
}

void ElasticRunner::ExpectOtherLengths() {
  lengths_ = Lengths::kMixed;
  if (options_.budget.memory_bytes == 0) return;
  GiveWay(known_.fixed_bytes + kMixedLengthsBytes, allowed_bytes_);
  short_->lengths = Lengths::kMixedWithoutRoom;
}

void ElasticRunner::SettleMemory() {
  if (short_.has_value()) return;
  if (known_.memory_measured || options_.budget.memory_bytes == 0) return;
  if (counts_.runs == kSettledRuns) executable_->EndPhase();
  if (counts_.runs < kMeasuredRuns) return;
  known_.fixed_bytes = FixedBytesNow();
  known_.memory_measured = true;
  PlanBeside();
}

}  // namespace stint
