#include "stint/session.h"

#include <algorithm>
#include <map>

#include "api/device/runtime_state.h"
#include "core/platform/cache_folder.h"
#include "core/platform/clock.h"
#include "engine/bind/conv_choice.h"
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

}  // namespace

struct Session::State {
  State(Model m, Runtime r, Runtime::State* shared, KernelSite site,
        std::unique_ptr<Graph> lowered)
      : model(std::move(m)),
        runtime(std::move(r)),
        running(&shared->running),
        pool(&shared->pool),
        graph(std::move(lowered)),
        runner(graph.get(), site, &shared->pool) {}

  Model model;
  Runtime runtime;
  std::mutex* running;
  ThreadPool* pool;
  std::unique_ptr<Graph> graph;  // the model's, lowered for this machine
  GraphRunner runner;
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
  Runtime::State* shared = runtime.state_.get();
  KernelSite site{shared->isa, shared->pool.threads(), *precision,
                  options.primitive, nullptr};
  // Without a usable table there are defaults.
  auto costs = LoadConvCosts(CacheFolder(), site.isa, site.threads);
  if (costs.ok()) site.conv_costs = *std::move(costs);
  STINT_ASSIGN_OR_RETURN(auto graph, LowerGraph(*model.package()->graph, site));
  auto state = std::make_unique<State>(std::move(model), std::move(runtime),
                                       shared, site, std::move(graph));
  std::lock_guard<std::mutex> lock(*state->running);
  STINT_RETURN_IF_ERROR(state->runner.Prepare());
  if (options.profile) state->runner.set_observer(&state->recorder);
  state->runner.set_null_kernels(options.null_kernels);
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
  return state_->runner.RunInto(inputs, outputs, limits);
}

std::vector<StepTime> Session::StepTimes() const {
  return state_->recorder.Times();
}

std::vector<StepChoice> Session::StepChoices() const {
  return StepChoicesOf(state_->runner);
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
