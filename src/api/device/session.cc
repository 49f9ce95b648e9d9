#include "stint/session.h"

#include "api/device/order_inputs.h"
#include "api/device/runtime_state.h"
#include "api/device/session_state.h"
#include "core/platform/cache_folder.h"
#include "core/platform/clock.h"
#include "engine/choose/conv_choice.h"
#include "engine/device/conv_cost_file.h"
#include "engine/device/conv_schedules.h"
#include "engine/run/step_choices.h"
#include "weights/package/text_inputs.h"

namespace stint {

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

const Model& Session::model() const { return state_->model; }

Result<Session> Session::Create(Model model) {
  STINT_ASSIGN_OR_RETURN(Runtime runtime, Runtime::Create());
  return Create(std::move(model), std::move(runtime));
}

namespace {

// Of a model that is not elastic, or is not run as one.
Status CheckNoBudget(const SessionOptions& options) {
  const SessionOptions defaults;
  if (options.budget.latency == defaults.budget.latency &&
      options.policy == defaults.policy && options.plan.empty() &&
      options.storage.empty()) {
    return OkStatus();
  }
  return InvalidArgument(
      "latency, policy, plan and storage need an elastic .stint file (`stint "
      "pack`) and no other precision");
}

bool IsFullPolicy(const std::string& policy) {
  return policy == kResidentFull || policy == kPipelineFull;
}

// A policy for plain files.
Status CheckFull(const Model& model, const SessionOptions& options) {
  if (model.is_elastic()) {
    return InvalidArgument("policy " + options.policy +
                           " needs a plain package of the model (`stint pack "
                           "--bits 32`), not an elastic one");
  }
  if (options.precision != "fp32" || !options.plan.empty()) {
    return InvalidArgument("policy " + options.policy +
                           " runs in fp32 and without a saved plan");
  }
  return OkStatus();
}

Status SetSchedules(const std::string& name, KernelSite* site) {
  const auto mode = ParseScheduleMode(name);
  if (!mode) {
    return InvalidArgument("schedule '" + name +
                           "', expected tuned, default or untuned");
  }
  site->schedule_mode = *mode;
  if (*mode != ScheduleMode::kTuned) return OkStatus();
  auto tuned = LoadConvSchedules(CacheFolder(), site->isa, site->threads);
  if (tuned.ok()) site->schedules = *std::move(tuned);
  return OkStatus();
}

// What OpenCL does not do.
Status CheckOpenCl(const SessionOptions& options) {
  const SessionOptions defaults;
  if (!IsOpenClName(options.device)) {
    return InvalidArgument("device '" + options.device +
                           "', expected cpu or opencl:N");
  }
  if (options.precision != "fp32" || !options.primitive.empty() ||
      options.budget.memory_bytes != 0 || options.null_kernels ||
      options.policy != defaults.policy) {
    return InvalidArgument(
        "device '" + options.device +
        "' runs in fp32, without budgets, policies, primitives or null "
        "kernels");
  }
  return OkStatus();
}

}  // namespace

Result<Session> Session::Create(Model model, Runtime runtime,
                                const SessionOptions& asked) {
  SessionOptions options = asked;
  if (options.device.empty()) options.device = SessionOptions().device;
  const bool opencl = options.device != SessionOptions().device;
  if (options.precision.empty()) {
    options.precision =
        model.is_elastic() && !opencl ? kCodesPrecision : "fp32";
  }
  if (opencl) STINT_RETURN_IF_ERROR(CheckOpenCl(options));
  const bool codes = options.precision == kCodesPrecision && model.is_elastic();
  const bool undecided = options.precision == kAutoPrecision;
  const auto precision = undecided || codes ? Precision::kFloat32
                                            : ParsePrecision(options.precision);
  if (!precision) {
    return InvalidArgument("precision '" + options.precision +
                           "', expected fp32, bf16, int8 or auto");
  }
  const bool full = IsFullPolicy(options.policy);
  if (full) STINT_RETURN_IF_ERROR(CheckFull(model, options));
  if (!codes && !full) {
    STINT_RETURN_IF_ERROR(CheckNoBudget(options));
    STINT_ASSIGN_OR_RETURN(model, model.Restored());
    STINT_RETURN_IF_ERROR(State::CheckHasWeights(*model.package_));
  }
  STINT_RETURN_IF_ERROR(CheckPrimitive(options.primitive));
  Runtime::State* shared = runtime.state_.get();
  KernelSite site{shared->isa, shared->pool.threads(), *precision};
  site.primitive = options.primitive;
  // Without usable tables there are defaults.
  auto costs = LoadConvCosts(CacheFolder(), site.isa, site.threads);
  if (costs.ok()) site.conv_costs = *std::move(costs);
  STINT_RETURN_IF_ERROR(SetSchedules(options.schedule, &site));
  auto state = std::make_unique<State>(std::move(model), std::move(runtime),
                                       shared, site);
  state->options = options;
  state->calibration_runs = options.calibration_runs;
  if (!undecided) {
    std::lock_guard<std::mutex> lock(*state->running);
    STINT_RETURN_IF_ERROR(full     ? state->PrepareFull()
                          : codes  ? state->PrepareCodes()
                          : opencl ? state->PrepareOpenCl()
                                   : state->Prepare());
  }
  return Session(std::move(state));
}

Result<PlanReport> Session::Plan(const std::vector<Value>& inputs) {
  if (state_->elastic == nullptr && state_->full == nullptr) {
    return InvalidArgument(
        "the session does not run on codes: nothing to plan");
  }
  std::lock_guard<std::mutex> lock(*state_->running);
  const ThreadPool::Run awake(state_->pool);
  if (state_->full != nullptr) {
    STINT_RETURN_IF_ERROR(state_->full->Prepare(inputs));
    return state_->full->Report();
  }
  STINT_RETURN_IF_ERROR(state_->elastic->Prepare(inputs));
  return state_->elastic->Report();
}

std::optional<PlanReport> Session::CurrentPlan() const {
  if (state_->full != nullptr && state_->full->prepared()) {
    return state_->full->Report();
  }
  if (state_->elastic == nullptr || state_->elastic->plan().layers.empty()) {
    return std::nullopt;
  }
  return state_->elastic->Report();
}

Result<std::string> Session::SavePlan() const {
  if (state_->elastic == nullptr || state_->elastic->plan().layers.empty()) {
    return InvalidArgument("there is no plan yet");
  }
  return ToText(state_->elastic->Save());
}

BudgetCounts Session::Counts() const {
  if (state_->full != nullptr) return state_->full->Counts();
  return state_->elastic == nullptr ? BudgetCounts()
                                    : state_->elastic->Counts();
}

Budget Session::budget() const {
  Budget budget = state_->elastic != nullptr ? state_->elastic->budget()
                                             : state_->options.budget;
  budget.memory_bytes = state_->MemoryLimit();
  return budget;
}

Status Session::SetBudget(const Budget& budget) {
  if (state_->elastic == nullptr) {
    return InvalidArgument("the session does not run on codes: no budgets");
  }
  std::lock_guard<std::mutex> lock(*state_->running);
  return state_->elastic->SetBudget(budget);
}

bool Session::calibrating() const { return state_->calibration != nullptr; }

Status Session::RunInto(const std::vector<Value>& inputs,
                        std::vector<Value>* outputs,
                        const RunControl& control) {
  RunLimits limits;
  limits.cancel = control.cancel;
  if (control.deadline.count() > 0) {
    limits.deadline_ns = NowNs() + control.deadline.count();
  }
  if (state_->options.precision == kAutoPrecision) {
    STINT_RETURN_IF_ERROR(DecidePrecision(inputs));
  }
  std::lock_guard<std::mutex> lock(*state_->running);
  const ThreadPool::Run awake(state_->pool);
  return state_->Run(inputs, outputs, limits);
}

std::string Session::precision() const { return state_->options.precision; }

std::vector<PrecisionTrial> Session::PrecisionTrials() const {
  return state_->trials;
}

std::vector<StepTime> Session::StepTimes() const {
  return state_->recorder.Times();
}

std::vector<StepChoice> Session::StepChoices() const {
  const GraphRunner* runner = state_->program();
  return runner == nullptr ? std::vector<StepChoice>() : StepChoicesOf(*runner);
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
