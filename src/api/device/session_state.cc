#include "api/device/session_state.h"

#include <algorithm>

#include "api/device/runtime_state.h"
#include "core/platform/cache_folder.h"
#include "core/platform/memory/memory.h"
#include "engine/bind/node_kernel.h"
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

// What a session takes besides weights: program, activations, libraries. The
// largest of the networks in bench/ take 14 to 22 MB.
constexpr int64_t kBesideWeightsBytes = 25'000'000;

// Weights of a node in their own form, and how much of that is there.
struct PlainWeights {
  int64_t bytes = 0;
  int64_t present = 0;
};
PlainWeights PlainOf(const Graph& graph, const Node& node) {
  PlainWeights plain;
  for (ValueId in : node.inputs) {
    if (!in.valid()) continue;
    const auto& constant = graph.value(in).constant;
    if (!constant) continue;
    const auto bytes = static_cast<int64_t>(constant->bytes());
    plain.bytes += bytes;
    if (constant->has_elements()) plain.present += bytes;
  }
  return plain;
}

// What a node's packed weights add to constants that are there, at least:
// nothing where a kernel can take those instead.
int64_t PackedBytes(const Graph& graph, const Node& node,
                    const PackedWeights& packed) {
  const PlainWeights plain = PlainOf(graph, node);
  if (plain.bytes > 0 && plain.present == plain.bytes) return 0;
  int64_t bytes = 0;
  for (const auto& part : packed.parts) {
    bytes += static_cast<int64_t>(part.bytes());
  }
  const int64_t missing = plain.bytes - plain.present;
  return CanUnpack(packed.layout) ? std::min(bytes, missing) : bytes;
}

int64_t CountWeights(const Graph& graph) {
  int64_t count = 0;
  for (size_t i = 0; i < graph.num_values(); ++i) {
    const auto& constant = graph.value({static_cast<int32_t>(i)}).constant;
    if (constant && constant->rank() > 1) count += constant->size();
  }
  return count;
}

// The least that weights take.
int64_t WeightBytes(const Package& package) {
  int64_t bytes = 0;
  const Graph& graph = *package.graph;
  for (size_t i = 0; i < graph.num_values(); ++i) {
    const auto& constant = graph.value({static_cast<int32_t>(i)}).constant;
    if (constant && constant->has_elements()) {
      bytes += static_cast<int64_t>(constant->bytes());
    }
  }
  for (NodeId id : graph.order()) {
    const auto it = package.packed.find(graph.node(id).name);
    if (it == package.packed.end()) continue;
    bytes += PackedBytes(graph, graph.node(id), it->second);
  }
  return bytes;
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
      shares(shared->shares),
      pool(&shared->pool),
      site(where) {}

Session::State::~State() {
  const std::lock_guard<std::mutex> lock(*running);
  elastic = nullptr;
}

int64_t Session::State::MemoryLimit() const {
  const int64_t own = elastic != nullptr ? elastic->budget().memory_bytes
                                         : options.budget.memory_bytes;
  if (shares == nullptr) return own;
  return own == 0 ? shares->budget_bytes()
                  : std::min(own, shares->budget_bytes());
}

Status Session::State::LimitWeights() {
  const int64_t budget = MemoryLimit();
  if (budget == 0) return OkStatus();
  // Those who stream make room, and plan again with what is left.
  if (shares != nullptr) shares->ReleaseOthers(nullptr);
  const int64_t weights = WeightBytes(*model.package_);
  if (weights > budget) {
    return BudgetInfeasible("memory " + std::to_string(budget) +
                            " bytes: the weights alone take " +
                            std::to_string(weights) +
                            "; an elastic file (`stint pack`) needs less");
  }
  site.allowance = std::make_shared<WeightAllowance>();
  site.allowance->bytes =
      std::max<int64_t>(0, budget - weights - kBesideWeightsBytes);
  return OkStatus();
}

Status Session::State::CheckMemory() const {
  const int64_t budget = MemoryLimit();
  if (budget == 0 || elastic != nullptr) return OkStatus();
  const int64_t peak = PeakResidentBytes();
  if (peak <= budget) return OkStatus();
  return BudgetInfeasible("memory " + std::to_string(budget) +
                          " bytes: the process has taken " +
                          std::to_string(peak));
}

Status Session::State::Prepare() {
  STINT_RETURN_IF_ERROR(RestorePacked());
  site.network_weights = CountWeights(*model.package_->graph);
  STINT_RETURN_IF_ERROR(LimitWeights());
  if (!NeedsRanges(model_graph(), site.precision)) return Bind(nullptr);
  STINT_ASSIGN_OR_RETURN(calibration,
                         Calibration::Create(model_graph(), site, pool));
  return OkStatus();
}

bool Session::State::Observed() {
  recorder.set_delay_ns(static_cast<int64_t>(options.step_delay_us * 1e3));
  return options.profile || options.step_delay_us > 0;
}

Status Session::State::PrepareCodes() {
  ElasticRunOptions elastic_options;
  elastic_options.budget = options.budget;
  elastic_options.shares = shares;
  elastic_options.policy = options.policy;
  elastic_options.explain_memory = options.explain_memory;
  elastic_options.cache_folder = CacheFolder();
  if (!options.plan.empty()) {
    STINT_ASSIGN_OR_RETURN(elastic_options.saved, ParseSavedPlan(options.plan));
  }
  if (!options.storage.empty()) {
    STINT_ASSIGN_OR_RETURN(elastic_options.storage,
                           ParseStorageRate(options.storage));
  }
  STINT_ASSIGN_OR_RETURN(
      elastic,
      ElasticRunner::Create(model.package_.get(), site, pool, elastic_options));
  if (Observed()) elastic->set_observer(&recorder);
  elastic->set_null_kernels(options.null_kernels);
  return OkStatus();
}

Status Session::State::PrepareFull() {
  FullRunOptions full_options;
  full_options.budget = options.budget;
  full_options.budget.memory_bytes = MemoryLimit();
  full_options.policy = options.policy;
  if (!options.storage.empty()) {
    STINT_ASSIGN_OR_RETURN(full_options.storage,
                           ParseStorageRate(options.storage));
  }
  STINT_ASSIGN_OR_RETURN(
      full, FullRunner::Create(model.package_.get(), site, pool, full_options));
  if (options.profile) full->set_observer(&recorder);
  return OkStatus();
}

Status Session::State::PrepareOpenCl() {
  STINT_RETURN_IF_ERROR(RestorePacked());
  STINT_ASSIGN_OR_RETURN(
      auto device, OpenClDevice::Open(options.device, {CacheFolder(), {}}));
  opencl = std::make_unique<OpenClRunner>(&model_graph(), std::move(device),
                                          site, pool);
  if (model.package_.use_count() == 1) {
    opencl->set_release([this](ValueId id) {
      Release(id, model.package_->graph.get());
      if (restored != nullptr) Release(id, restored.get());
    });
  }
  if (Observed()) opencl->set_observer(&recorder);
  return OkStatus();
}

Status Session::State::RestorePacked() {
  const bool packed_fits =
      site.precision == Precision::kFloat32 && !on_opencl();
  if (packed_fits || !LacksWeights(*model.package_->graph)) {
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
  if (Observed()) runner->set_observer(&recorder);
  runner->set_null_kernels(options.null_kernels);
  return OkStatus();
}

Status Session::State::Run(const std::vector<Value>& inputs,
                           std::vector<Value>* outputs,
                           const RunLimits& limits) {
  recorder.Clear();
  if (elastic != nullptr) return elastic->RunInto(inputs, outputs, limits);
  if (opencl != nullptr) return opencl->RunInto(inputs, outputs, limits);
  if (full != nullptr) {
    STINT_RETURN_IF_ERROR(full->RunInto(inputs, outputs, limits));
    return CheckMemory();
  }
  STINT_RETURN_IF_ERROR(calibration != nullptr
                            ? RunAndCalibrate(inputs, outputs, limits)
                            : runner->RunInto(inputs, outputs, limits));
  return CheckMemory();
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
