#include "api/device/plain_executable.h"

#include <algorithm>

#include "api/device/weight_bytes.h"
#include "engine/lower/lower_graph.h"

namespace stint {
namespace {

// What a session takes besides weights: program, activations, libraries. The
// largest of the networks in bench/ take 14 to 22 MB.
constexpr int64_t kBesideWeightsBytes = 25'000'000;

// Constants that a lowered graph has replaced by others.
std::vector<ValueId> Unread(const Graph& graph) {
  std::vector<bool> read(graph.num_values(), false);
  for (ValueId out : graph.outputs()) read[out.index] = true;
  for (NodeId id : graph.order()) {
    for (ValueId in : graph.node(id).inputs) {
      if (in.valid()) read[in.index] = true;
    }
  }
  std::vector<ValueId> unread;
  for (size_t i = 0; i < read.size(); ++i) {
    const ValueId id{static_cast<int32_t>(i)};
    if (!read[i] && graph.value(id).constant) unread.push_back(id);
  }
  return unread;
}

}  // namespace

PlainExecutable::PlainExecutable(Package* package, const KernelSite& site,
                                 ThreadPool* pool, const PlainOptions& options)
    : package_(package),
      site_(site),
      pool_(pool),
      options_(options),
      weights_(package),
      calibration_runs_(options.calibration_runs) {}

Result<std::unique_ptr<Executable>> PlainExecutable::Create(
    Package* package, const KernelSite& site, ThreadPool* pool,
    const PlainOptions& options) {
  std::unique_ptr<PlainExecutable> executable(
      new PlainExecutable(package, site, pool, options));
  STINT_RETURN_IF_ERROR(executable->Prepare());
  return std::unique_ptr<Executable>(std::move(executable));
}

Status PlainExecutable::LimitWeights() {
  const int64_t budget = options_.memory_bytes;
  if (budget == 0) return OkStatus();
  // Those who stream make room, and plan again within the rest.
  if (options_.shares != nullptr) options_.shares->ReleaseOthers(nullptr);
  const int64_t weights = WeightBytes(*package_);
  if (weights > budget) {
    return BudgetInfeasible("memory " + std::to_string(budget) +
                            " bytes: the weights alone take " +
                            std::to_string(weights) +
                            "; an elastic file (`stint pack`) needs less");
  }
  site_.allowance = std::make_shared<WeightAllowance>();
  site_.allowance->bytes =
      std::max<int64_t>(0, budget - weights - kBesideWeightsBytes);
  return OkStatus();
}

Status PlainExecutable::Prepare() {
  if (site_.precision != Precision::kFloat32) {
    STINT_RETURN_IF_ERROR(weights_.Restore());
  }
  site_.network_weights = CountWeights(*package_->graph);
  STINT_RETURN_IF_ERROR(LimitWeights());
  if (!NeedsRanges(weights_.graph(), site_.precision)) return Bind(nullptr);
  STINT_ASSIGN_OR_RETURN(calibration_,
                         Calibration::Create(weights_.graph(), site_, pool_));
  return OkStatus();
}

void PlainExecutable::Release(ValueId id) {
  ReleaseConstant(id, graph_.get());
  weights_.Release(id);
}

Status PlainExecutable::Bind(const ActivationRanges* ranges) {
  STINT_ASSIGN_OR_RETURN(graph_, LowerGraph(weights_.graph(), site_, ranges));
  runner_ = std::make_unique<GraphRunner>(graph_.get(), site_, pool_);
  if (weights_.packed() != nullptr) runner_->set_packed(weights_.packed());
  for (ValueId id : Unread(*graph_)) Release(id);
  runner_->set_release([this](ValueId id) { Release(id); });
  STINT_RETURN_IF_ERROR(runner_->Prepare());
  if (observer_ != nullptr) runner_->set_observer(observer_);
  runner_->set_null_kernels(options_.null_kernels);
  return OkStatus();
}

void PlainExecutable::Observe(StepObserver* observer) {
  observer_ = observer;
  if (runner_ != nullptr) runner_->set_observer(observer);
}

Status PlainExecutable::RunInto(std::span<const Value> inputs,
                                std::vector<Value>* outputs,
                                const RunLimits& limits) {
  STINT_RETURN_IF_ERROR(calibrating()
                            ? RunAndCalibrate(inputs, outputs, limits)
                            : runner_->RunInto(inputs, outputs, limits));
  return CheckPeakMemory(options_.memory_bytes);
}

Status PlainExecutable::RunAndCalibrate(std::span<const Value> inputs,
                                        std::vector<Value>* outputs,
                                        const RunLimits& limits) {
  STINT_RETURN_IF_ERROR(
      calibration_->runner()->RunInto(inputs, outputs, limits));
  if (--calibration_runs_ > 0) return OkStatus();
  const ActivationRanges ranges = calibration_->Ranges();
  STINT_RETURN_IF_ERROR(Bind(&ranges));
  calibration_ = nullptr;
  return runner_->RunInto(inputs, outputs, limits);
}

}  // namespace stint
