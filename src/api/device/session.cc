#include "stint/session.h"

#include <algorithm>
#include <map>

#include "api/device/runtime_state.h"
#include "core/platform/cache_folder.h"
#include "core/platform/clock.h"
#include "engine/bind/conv_choice.h"
#include "engine/bind/restore_weights.h"
#include "engine/calibrate/calibration.h"
#include "engine/device/conv_cost_file.h"
#include "engine/lower/lower_graph.h"
#include "engine/run/graph_runner.h"
#include "engine/run/step_choices.h"
#include "weights/package/text_inputs.h"

namespace stint {

namespace {

// Remembers the steps of the last run. Grows only when a run has more steps
// than any before.
class StepRecorder : public StepObserver {
 public:
  void Clear() { steps_.clear(); }
  void OnStep(const Node& node, int64_t start_ns, int64_t end_ns) override {
    steps_.push_back({&node, start_ns, end_ns});
  }
  std::vector<StepTime> Times() const {
    std::vector<StepTime> times;
    for (const Step& step : steps_) {
      times.push_back({step.node->name, std::string(OpName(step.node->op)),
                       Microseconds(step.start_ns), Microseconds(step.end_ns)});
    }
    return times;
  }

 private:
  struct Step {
    const Node* node;
    int64_t start_ns;
    int64_t end_ns;
  };
  double Microseconds(int64_t ns) const {
    return static_cast<double>(ns - steps_.front().start_ns) * 1e-3;
  }
  std::vector<Step> steps_;
};

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

// The weights went to another session.
Status CheckHasWeights(const Package& package) {
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

}  // namespace

struct Session::State {
  State(Model m, Runtime r, Runtime::State* shared, KernelSite where)
      : model(std::move(m)),
        runtime(std::move(r)),
        running(&shared->running),
        pool(&shared->pool),
        site(where) {}

  const Graph& model_graph() const {
    return restored != nullptr ? *restored : *model.package_->graph;
  }

  // Kernels of other precisions start from plain weights, also where the model
  // has only packed ones.
  Status RestorePacked() {
    if (site.precision == Precision::kFloat32 ||
        !LacksWeights(*model.package_->graph)) {
      return OkStatus();
    }
    restored = model.package_->graph->Clone();
    return RestoreWeights(model.package_->packed, restored.get());
  }

  // Nobody needs the elements of this constant any more.
  void ReleaseAll(ValueId id) {
    Release(id, graph.get());
    Release(id, model.package_->graph.get());
    if (restored != nullptr) Release(id, restored.get());
  }

  // Makes the program that runs from now on; `ranges` may be null.
  Status Bind(const ActivationRanges* ranges) {
    STINT_ASSIGN_OR_RETURN(graph, LowerGraph(model_graph(), site, ranges));
    runner = std::make_unique<GraphRunner>(graph.get(), site, pool);
    if (restored == nullptr) runner->set_packed(&model.package_->packed);
    if (model.package_.use_count() == 1) {
      for (ValueId id : Unread(*graph)) ReleaseAll(id);
      runner->set_release([this](ValueId id) { ReleaseAll(id); });
    }
    STINT_RETURN_IF_ERROR(runner->Prepare());
    if (profile) runner->set_observer(&recorder);
    runner->set_null_kernels(null_kernels);
    return OkStatus();
  }

  // The first runs are in float32; their ranges are those of the integer
  // program, which answers from the last of them on: nothing is called int8
  // that is not.
  Status RunAndCalibrate(const std::vector<Value>& inputs,
                         std::vector<Value>* outputs, const RunLimits& limits) {
    STINT_RETURN_IF_ERROR(
        calibration->runner()->RunInto(inputs, outputs, limits));
    if (--calibration_runs > 0) return OkStatus();
    const ActivationRanges ranges = calibration->Ranges();
    STINT_RETURN_IF_ERROR(Bind(&ranges));
    calibration = nullptr;
    return runner->RunInto(inputs, outputs, limits);
  }

  Model model;
  Runtime runtime;
  std::mutex* running;
  ThreadPool* pool;
  KernelSite site;
  bool profile = false;
  bool null_kernels = false;
  int calibration_runs = 1;         // left to do
  std::unique_ptr<Graph> restored;  // the model's with plain weights, or null
  std::unique_ptr<Graph> graph;     // the model's, lowered for this machine
  std::unique_ptr<GraphRunner> runner;
  // Until the ranges that a model needs are known; there is no runner yet.
  std::unique_ptr<Calibration> calibration;
  StepRecorder recorder;
};

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

const Model& Session::model() const { return state_->model; }

Result<Session> Session::Create(Model model) {
  STINT_ASSIGN_OR_RETURN(Runtime runtime, Runtime::Create());
  return Create(std::move(model), std::move(runtime));
}

Result<Session> Session::Create(Model model, Runtime runtime,
                                const SessionOptions& options) {
  const auto precision = ParsePrecision(options.precision);
  if (!precision) {
    return InvalidArgument("precision '" + options.precision +
                           "', expected fp32, bf16 or int8");
  }
  STINT_RETURN_IF_ERROR(CheckPrimitive(options.primitive));
  STINT_RETURN_IF_ERROR(CheckHasWeights(*model.package_));
  Runtime::State* shared = runtime.state_.get();
  KernelSite site{shared->isa, shared->pool.threads(), *precision};
  site.primitive = options.primitive;
  // Without a usable table there are defaults.
  auto costs = LoadConvCosts(CacheFolder(), site.isa, site.threads);
  if (costs.ok()) site.conv_costs = *std::move(costs);
  auto state = std::make_unique<State>(std::move(model), std::move(runtime),
                                       shared, site);
  state->profile = options.profile;
  state->null_kernels = options.null_kernels;
  state->calibration_runs = options.calibration_runs;
  std::lock_guard<std::mutex> lock(*state->running);
  STINT_RETURN_IF_ERROR(state->RestorePacked());
  if (NeedsRanges(state->model_graph(), *precision)) {
    STINT_ASSIGN_OR_RETURN(
        state->calibration,
        Calibration::Create(state->model_graph(), site, state->pool));
  } else {
    STINT_RETURN_IF_ERROR(state->Bind(nullptr));
  }
  return Session(std::move(state));
}

namespace {

// Checks a value against its declaration; `sizes` remembers named dimensions.
Status CheckInput(const ValueInfo& info, const Value& value,
                  std::map<std::string, int64_t>* sizes) {
  if (!value.is_tensor()) return OkStatus();
  const Tensor& tensor = value.tensor();
  const auto wrong = [&](const std::string& expected) {
    return InvalidArgument("input '" + info.name + "' is " +
                           std::string(DTypeName(tensor.dtype())) +
                           ToString(tensor.shape()) + ", expected " + expected);
  };
  const std::string declared =
      std::string(DTypeName(info.dtype)) + ToString(info.shape);
  if (tensor.dtype() != info.dtype ||
      (!info.shape.empty() && tensor.shape().size() != info.shape.size())) {
    return wrong(declared);
  }
  for (size_t d = 0; d < info.shape.size(); ++d) {
    const int64_t size = tensor.shape()[d];
    if (info.shape[d] >= 0) {
      if (size != info.shape[d]) return wrong(declared);
    } else if (!info.dim_names[d].empty()) {
      const auto [it, is_new] = sizes->emplace(info.dim_names[d], size);
      if (!is_new && it->second != size) {
        return wrong(info.dim_names[d] + " = " + std::to_string(it->second) +
                     " as in another input");
      }
    }
  }
  return OkStatus();
}

Result<std::vector<Value>> OrderInputs(const Model& model,
                                       const std::vector<NamedValue>& inputs) {
  std::vector<Value> ordered;
  std::map<std::string, int64_t> sizes;
  for (const ValueInfo& info : model.inputs()) {
    const auto it =
        std::find_if(inputs.begin(), inputs.end(),
                     [&](const NamedValue& v) { return v.name == info.name; });
    if (it == inputs.end()) {
      return InvalidArgument("input '" + info.name + "' is missing");
    }
    STINT_RETURN_IF_ERROR(CheckInput(info, it->value, &sizes));
    ordered.push_back(it->value);
  }
  for (const NamedValue& value : inputs) {
    const bool known = std::any_of(
        model.inputs().begin(), model.inputs().end(),
        [&](const ValueInfo& info) { return info.name == value.name; });
    if (!known) {
      return InvalidArgument("the model has no input '" + value.name + "'");
    }
  }
  return ordered;
}

}  // namespace

Status Session::RunInto(const std::vector<Value>& inputs,
                        std::vector<Value>* outputs,
                        const RunControl& control) {
  RunLimits limits;
  limits.cancel = control.cancel;
  if (control.deadline.count() > 0) {
    limits.deadline_ns = NowNs() + control.deadline.count();
  }
  std::lock_guard<std::mutex> lock(*state_->running);
  const ThreadPool::Run awake(state_->pool);
  state_->recorder.Clear();
  if (state_->calibration != nullptr) {
    return state_->RunAndCalibrate(inputs, outputs, limits);
  }
  return state_->runner->RunInto(inputs, outputs, limits);
}

std::vector<StepTime> Session::StepTimes() const {
  return state_->recorder.Times();
}

std::vector<StepChoice> Session::StepChoices() const {
  if (state_->runner == nullptr) return {};
  return StepChoicesOf(*state_->runner);
}

Result<std::vector<NamedValue>> Session::RunOrdered(
    const std::vector<Value>& inputs, const RunControl& control) {
  std::vector<Value> values;
  STINT_RETURN_IF_ERROR(RunInto(inputs, &values, control));
  std::vector<NamedValue> outputs;
  for (size_t i = 0; i < values.size(); ++i) {
    outputs.push_back({state_->model.outputs()[i].name, std::move(values[i])});
  }
  return outputs;
}

Result<std::vector<NamedValue>> Session::Run(
    const std::vector<NamedValue>& inputs, const RunControl& control) {
  STINT_ASSIGN_OR_RETURN(const std::vector<Value> ordered,
                         OrderInputs(state_->model, inputs));
  return RunOrdered(ordered, control);
}

Result<std::vector<NamedValue>> Session::RunText(
    std::string_view text, std::optional<std::string_view> pair,
    const TextOptions& options) {
  STINT_ASSIGN_OR_RETURN(const std::vector<Value> inputs,
                         TextInputs(*state_->model.package(), text, pair,
                                    {options.max_length, options.pad_to}));
  return RunOrdered(inputs, {});
}

}  // namespace stint
