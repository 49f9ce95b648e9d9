#include "api/device/session_state.h"

#include "api/device/runtime_state.h"
#include "engine/bind/restore_weights.h"
#include "engine/lower/lower_graph.h"

namespace stint {
namespace {

// Values that lowering added follow those of the model, whose ids stay.
void Release(ValueId id, Graph* graph) {
  if (static_cast<size_t>(id.index) >= graph->num_values()) return;
  auto& constant = graph->value(id).constant;
  if (constant) constant->DropElements();
}

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

bool LacksWeights(const Graph& graph) {
  for (size_t i = 0; i < graph.num_values(); ++i) {
    const auto& constant = graph.value({static_cast<int32_t>(i)}).constant;
    if (constant && !constant->has_elements()) return true;
  }
  return false;
}

}  // namespace

Status Session::State::CheckHasWeights(const Package& package) {
  const Graph& graph = *package.graph;
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    for (ValueId in : node.inputs) {
      if (!in.valid()) continue;
      const auto& constant = graph.value(in).constant;
      if (constant && !constant->has_elements() &&
          package.packed.count(node.name) == 0) {
        return InvalidArgument(Describe(node) +
                               ": another session has taken its weights; "
                               "make sessions from copies of the model");
      }
    }
  }
  return OkStatus();
}

Session::State::State(Model m, Runtime r, Runtime::State* shared,
                      KernelSite where)
    : model(std::move(m)),
      runtime(std::move(r)),
      running(&shared->running),
      pool(&shared->pool),
      site(where) {}

Status Session::State::Prepare() {
  STINT_RETURN_IF_ERROR(RestorePacked());
  if (!NeedsRanges(model_graph(), site.precision)) return Bind(nullptr);
  STINT_ASSIGN_OR_RETURN(calibration,
                         Calibration::Create(model_graph(), site, pool));
  return OkStatus();
}

Status Session::State::PrepareCodes() {
  ElasticRunOptions elastic_options;
  elastic_options.budget = options.budget;
  elastic_options.policy = options.policy;
  if (!options.storage.empty()) {
    STINT_ASSIGN_OR_RETURN(elastic_options.storage,
                           ParseStorageRate(options.storage));
  }
  STINT_ASSIGN_OR_RETURN(
      elastic,
      ElasticRunner::Create(model.package_.get(), site, pool, elastic_options));
  if (options.profile) elastic->set_observer(&recorder);
  elastic->set_null_kernels(options.null_kernels);
  return OkStatus();
}

Status Session::State::RestorePacked() {
  if (site.precision == Precision::kFloat32 ||
      !LacksWeights(*model.package_->graph)) {
    return OkStatus();
  }
  restored = model.package_->graph->Clone();
  return RestoreWeights(model.package_->packed, restored.get());
}

void Session::State::ReleaseAll(ValueId id) {
  Release(id, graph.get());
  Release(id, model.package_->graph.get());
  if (restored != nullptr) Release(id, restored.get());
}

Status Session::State::Bind(const ActivationRanges* ranges) {
  STINT_ASSIGN_OR_RETURN(graph, LowerGraph(model_graph(), site, ranges));
  runner = std::make_unique<GraphRunner>(graph.get(), site, pool);
  if (restored == nullptr) runner->set_packed(&model.package_->packed);
  if (model.package_.use_count() == 1) {
    for (ValueId id : Unread(*graph)) ReleaseAll(id);
    runner->set_release([this](ValueId id) { ReleaseAll(id); });
  }
  STINT_RETURN_IF_ERROR(runner->Prepare());
  if (options.profile) runner->set_observer(&recorder);
  runner->set_null_kernels(options.null_kernels);
  return OkStatus();
}

Status Session::State::Run(const std::vector<Value>& inputs,
                           std::vector<Value>* outputs,
                           const RunLimits& limits) {
  recorder.Clear();
  if (elastic != nullptr) return elastic->RunInto(inputs, outputs, limits);
  if (calibration != nullptr) return RunAndCalibrate(inputs, outputs, limits);
  return runner->RunInto(inputs, outputs, limits);
}

Status Session::State::RunAndCalibrate(const std::vector<Value>& inputs,
                                       std::vector<Value>* outputs,
                                       const RunLimits& limits) {
  STINT_RETURN_IF_ERROR(
      calibration->runner()->RunInto(inputs, outputs, limits));
  if (--calibration_runs > 0) return OkStatus();
  const ActivationRanges ranges = calibration->Ranges();
  STINT_RETURN_IF_ERROR(Bind(&ranges));
  calibration = nullptr;
  return runner->RunInto(inputs, outputs, limits);
}

}  // namespace stint
