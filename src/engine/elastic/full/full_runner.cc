#include "engine/elastic/full/full_runner.h"

#include <algorithm>

#include "core/platform/clock.h"
#include "core/platform/memory/memory.h"
#include "core/platform/memory/program_pages.h"
#include "engine/elastic/input_shapes.h"
#include "engine/elastic/memory/process_margin.h"
#include "engine/lower/lower_graph.h"

namespace stint {
namespace {

constexpr int kDepth = 16;
constexpr int kFullBits = 32;
// How often a wait for weights looks whether the run was cancelled.
constexpr int64_t kLookNs = 20'000'000;
// From the quicker of two runs to the 95th percentile, as for elastic files.
constexpr double kSpread = 1.25;

Status DoesNotFit(const std::string& policy, int64_t budget, int64_t needed) {
  return BudgetInfeasible("memory " + std::to_string(budget) +
                          " bytes: policy " + policy + " takes " +
                          std::to_string(needed));
}

}  // namespace

Result<std::unique_ptr<FullRunner>> FullRunner::Create(
    const Package* package, const KernelSite& site, ThreadPool* pool,
    const FullRunOptions& options) {
  const Budget& budget = options.budget;
  if (budget.from_launch || budget.best_effort) {
    return InvalidArgument("policy " + options.policy +
                           " has no plans to choose from: " +
                           (budget.best_effort ? "best effort needs"
                                               : "a budget from launch needs") +
                           " policy elastic");
  }
  std::unique_ptr<FullRunner> runner(new FullRunner(package, options));
  STINT_RETURN_IF_ERROR(runner->Open(site, pool));
  return runner;
}

Status FullRunner::Open(const KernelSite& site, ThreadPool* pool) {
  if (package_->file == nullptr || package_->shards != nullptr ||
      package_->packed.empty()) {
    return Unsupported("policy " + options_.policy +
                       " needs a plain package (`stint pack --bits 32`)");
  }
  ReaderOptions reader;
  reader.depth = kDepth;
  reader.uring = options_.io_uring;
  reader.device = MakeSlowDevice(options_.storage);
  STINT_ASSIGN_OR_RETURN(OpenedReader opened,
                         OpenReader(package_->file->path(), reader));
  io_note_ = opened.fallback;
  STINT_ASSIGN_OR_RETURN(
      weights_, PlacedWeights::Create(package_->file, std::move(opened.reader),
                                      package_->packed, pool));
  STINT_ASSIGN_OR_RETURN(graph_, LowerGraph(*package_->graph, site, nullptr));
  runner_ = std::make_unique<GraphRunner>(graph_.get(), site, pool);
  runner_->set_packed(&weights_->packed());
  if (options_.budget.memory_bytes > 0) runner_->set_max_programs(1);
  runner_->set_observer(this);
  return runner_->Prepare();
}

Status FullRunner::CheckBound() const {
  const PackedTable bound = runner_->packed();
  for (const auto& [name, placed] : weights_->packed()) {
    const auto it = bound.find(name);
    const bool same =
        it != bound.end() &&
        std::equal(placed.parts.begin(), placed.parts.end(),
                   it->second.parts.begin(), it->second.parts.end(),
                   [](const Tensor& a, const Tensor& b) {
                     return a.raw() == b.raw();
                   });
    if (!same) {
      return Unsupported("node '" + name + "': weights are packed as '" +
                         placed.layout +
                         "', which its kernel here does not read; pack the "
                         "model on this machine");
    }
  }
  return OkStatus();
}

Status FullRunner::PlaceWeights() {
  std::vector<std::string> nodes;
  int64_t largest = 0;
  report_ = {};
  report_.policy = options_.policy;
  report_.mean_bits = kFullBits;
  report_.width = 1;
  runner_->VisitSteps([&](const Node& node, const Step&) {
    nodes.push_back(node.name);
    const int64_t bytes = weights_->BytesOf(node.name);
    if (bytes == 0) return;
    largest = std::max(largest, bytes);
    PlannedLayer& layer = report_.plan.emplace_back();
    layer.name = node.name;
    layer.bits = {kFullBits};
    (streams() ? layer.stream_bytes : layer.pinned_bytes) = bytes;
  });
  report_.layers = static_cast<int>(report_.plan.size());
  report_.io_uring = io_note_.empty();
  report_.io_note = io_note_;
  report_.fixed_bytes = ResidentBytes() + kProcessMarginBytes;
  const int64_t budget = options_.budget.memory_bytes;
  const int64_t room =
      budget == 0 ? weights_->bytes() : budget - report_.fixed_bytes;
  const int64_t least = streams() ? largest : weights_->bytes();
  if (budget > 0 && room < least) {
    return DoesNotFit(options_.policy, budget, report_.fixed_bytes + least);
  }
  if (!streams()) {
    report_.preload_bytes = weights_->bytes();
    report_.predicted_peak_bytes = report_.fixed_bytes + weights_->bytes();
    return OfFile(weights_->ReadAll(nodes));
  }
  // Room for two neighbors, so that one is read while the other computes.
  const int64_t ring = std::min(
      2 * largest, std::max(room / kBlockBytes * kBlockBytes, largest));
  report_.ring_bytes = ring;
  report_.stream_bytes = weights_->bytes();
  report_.predicted_peak_bytes = report_.fixed_bytes + ring;
  return OfFile(weights_->Stream(nodes, ring));
}

Status FullRunner::Measure() {
  double least_ns = 0;
  for (int i = 0; i < 2; ++i) {
    std::vector<Value> outputs;
    const int64_t start = NowNs();
    measuring_ = true;
    const Status status = RunOnce(inputs_, &outputs, {});
    measuring_ = false;
    STINT_RETURN_IF_ERROR(status);
    const auto ns = static_cast<double>(NowNs() - start);
    least_ns = i == 0 ? ns : std::min(least_ns, ns);
  }
  report_.predicted_ms = least_ns * kSpread * 1e-6;
  const auto budget = static_cast<double>(options_.budget.latency.count());
  if (budget == 0 || least_ns * kSpread <= budget) return OkStatus();
  return BudgetInfeasible("latency " + std::to_string(budget * 1e-6) +
                          " ms: policy " + options_.policy + " takes " +
                          std::to_string(report_.predicted_ms) + " ms");
}

Status FullRunner::Prepare(std::span<const Value> inputs) {
  inputs_.assign(inputs.begin(), inputs.end());
  if (!prepared()) {
    // On zeros: binds the program, and touches what runs touch.
    binding_ = true;
    std::vector<Value> outputs;
    const Status status = runner_->RunInto(inputs_, &outputs);
    binding_ = false;
    STINT_RETURN_IF_ERROR(status);
    STINT_RETURN_IF_ERROR(CheckBound());
    if (options_.budget.memory_bytes > 0) {
      ReleaseFreeHeap();
      ReleaseProgramPages();
      const int64_t peak = PeakResidentBytes();
      if (peak > options_.budget.memory_bytes) {
        return DoesNotFit(options_.policy, options_.budget.memory_bytes, peak);
      }
    }
    STINT_RETURN_IF_ERROR(PlaceWeights());
  }
  STINT_RETURN_IF_ERROR(Measure());
  prepared_size_ = SizeOf(inputs_);
  return OkStatus();
}

Status FullRunner::RunOnce(std::span<const Value> inputs,
                           std::vector<Value>* outputs,
                           const RunLimits& limits) {
  limits_ = limits;
  start_ns_ = NowNs();
  weights_->BeginRun();
  const Status status = runner_->RunInto(inputs, outputs, limits);
  weights_->EndRun();
  // Tables of rows are read as the system maps them.
  if (options_.budget.memory_bytes > 0) {
    package_->file->Release(package_->file->bytes());
  }
  return OfFile(status);
}

// Errors of reading name the file.
Status FullRunner::OfFile(const Status& status) const {
  const bool read =
      status.code() == StatusCode::kDamaged || status.code() == StatusCode::kIo;
  return read ? status.Annotate(package_->file->path()) : status;
}

Status FullRunner::RunInto(std::span<const Value> inputs,
                           std::vector<Value>* outputs,
                           const RunLimits& limits) {
  const int64_t called = NowNs();
  if (SizeOf(inputs) > prepared_size_) STINT_RETURN_IF_ERROR(Prepare(inputs));
  const int64_t start = NowNs();
  const int64_t waited = weights_->counts().wait_ns;
  STINT_RETURN_IF_ERROR(RunOnce(inputs, outputs, limits));
  ++counts_.runs;
  RunPhases& last = counts_.last = RunPhases();
  last.rehearse_ms = static_cast<double>(start - called) * 1e-6;
  last.wait_ms =
      static_cast<double>(weights_->counts().wait_ns - waited) * 1e-6;
  last.compute_ms = MsSince(start) - last.wait_ms;
  counts_.prepare_ms = last.rehearse_ms;
  const int64_t latency = options_.budget.latency.count();
  if (latency > 0 && NowNs() - start > latency) ++counts_.missed;
  return CheckPeakMemory(options_.budget.memory_bytes);
}

BudgetCounts FullRunner::Counts() const {
  BudgetCounts counts = counts_;
  const StreamCounts& placed = weights_->counts();
  counts.bytes_read = placed.bytes_read;
  counts.waits = placed.waits;
  counts.wait_ms = static_cast<double>(placed.wait_ns) * 1e-6;
  return counts;
}

Status FullRunner::BeforeStep(const Node& node) {
  if (observer_ != nullptr) {
    STINT_RETURN_IF_ERROR(observer_->BeforeStep(node));
  }
  if (binding_) return OkStatus();
  while (true) {
    const Status status = weights_->Await(node.name, kLookNs);
    if (status.code() != StatusCode::kCancelled) return status;
    STINT_RETURN_IF_ERROR(CheckLimits(limits_));
  }
}

void FullRunner::OnStep(const Node& node, int64_t start_ns, int64_t end_ns) {
  if (observer_ != nullptr) observer_->OnStep(node, start_ns, end_ns);
  if (binding_) return;
  weights_->Release(node.name);
  if (!measuring_) return;
  for (PlannedLayer& layer : report_.plan) {
    if (layer.name != node.name) continue;
    layer.compute_begin_ms = static_cast<double>(start_ns - start_ns_) * 1e-6;
    layer.compute_end_ms = static_cast<double>(end_ns - start_ns_) * 1e-6;
    if (streams()) layer.read_end_ms = layer.compute_begin_ms;
  }
}

void FullRunner::OnOutputs(const Node& node, EvalContext& ctx) {
  if (observer_ != nullptr) observer_->OnOutputs(node, ctx);
}

}  // namespace stint
