#include "stint/session.h"

#include "api/device/order_inputs.h"
#include "api/device/session_state.h"
#include "core/platform/clock.h"
#include "engine/choose/conv_choice.h"
#include "engine/device/conv_cost_file.h"
#include "engine/device/conv_schedules.h"
#include "engine/elastic/full/full_runner.h"
#include "engine/opencl/opencl_runner.h"
#include "engine/run/step_choices.h"
#include "weights/package/text_inputs.h"

namespace stint {

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

const ModelInfo& Session::model_info() const { return state_->model.info(); }

const Package& PackageOf(const Session& session) {
  return *session.state_->model.package();
}

namespace {

// Of a model that is not elastic, or is not run as one.
Status CheckNoBudget(const SessionOptions& options) {
  const SessionOptions defaults;
  if (options.budget.latency == defaults.budget.latency &&
      options.lab.policy == defaults.lab.policy && options.plan.empty() &&
      options.lab.storage.empty()) {
    return OkStatus();
  }
  return InvalidArgument(
      "latency, policy, plan and storage need an elastic .stint file (`stint "
      "pack`) and no other precision");
}

// A policy for plain files.
Status CheckFull(const Model& model, const SessionOptions& options) {
  if (model.is_elastic()) {
    return InvalidArgument("policy " + options.lab.policy +
                           " needs a plain package of the model (`stint pack "
                           "--bits 32`), not an elastic one");
  }
  if (options.precision != Precision::kFloat32 || !options.plan.empty()) {
    return InvalidArgument("policy " + options.lab.policy +
                           " runs in fp32 and without a saved plan");
  }
  return OkStatus();
}

// What OpenCL does not do.
Status CheckOpenCl(const SessionOptions& options) {
  const SessionOptions defaults;
  if (!IsOpenClName(options.device)) {
    return InvalidArgument("device '" + options.device +
                           "', expected cpu or opencl:N");
  }
  const LabOptions& lab = options.lab;
  if (options.precision != Precision::kFloat32 || !lab.primitive.empty() ||
      options.budget.memory_bytes != 0 || lab.null_kernels ||
      lab.policy != defaults.lab.policy) {
    return InvalidArgument(
        "device '" + options.device +
        "' runs in fp32, without budgets, policies, primitives or null "
        "kernels");
  }
  return OkStatus();
}

Status NotDecided() {
  return InvalidArgument("precision 'auto' is decided by the first run");
}

// What is left to choose, chosen; kInvalidArgument names what contradicts.
Result<SessionOptions> Settle(const Model& model, const SessionOptions& asked) {
  SessionOptions options = asked;
  if (options.device.empty()) options.device = SessionOptions().device;
  const bool opencl = options.device != SessionOptions().device;
  if (!options.precision) {
    options.precision =
        model.is_elastic() && !opencl ? Precision::kCodes : Precision::kFloat32;
  }
  if (opencl) STINT_RETURN_IF_ERROR(CheckOpenCl(options));
  if (options.precision == Precision::kCodes && !model.is_elastic()) {
    return InvalidArgument(
        "precision 'codes' needs an elastic .stint file (`stint pack`); "
        "expected fp32, bf16, int8 or auto");
  }
  if (IsFullPolicy(options.lab.policy)) {
    STINT_RETURN_IF_ERROR(CheckFull(model, options));
  } else if (options.precision != Precision::kCodes) {
    STINT_RETURN_IF_ERROR(CheckNoBudget(options));
  }
  STINT_RETURN_IF_ERROR(CheckPrimitive(options.lab.primitive));
  STINT_RETURN_IF_ERROR(LimitByEnergy(&options.budget));
  return options;
}

// Kernels of the precision on the runtime's machine, by what was measured
// there. Without usable tables there are defaults.
KernelSite SiteOf(const SessionOptions& options, Isa isa, int threads,
                  const std::string& cache_folder) {
  const Precision precision = *options.precision;
  KernelSite site{
      isa, threads,
      precision > Precision::kInt8 ? Precision::kFloat32 : precision};
  site.primitive = options.lab.primitive;
  site.schedule_mode = options.lab.schedule;
  auto costs = LoadConvCosts(cache_folder, site.isa, site.threads);
  if (costs.ok()) site.conv_costs = *std::move(costs);
  if (site.schedule_mode != ScheduleMode::kTuned) return site;
  auto tuned = LoadConvSchedules(cache_folder, site.isa, site.threads);
  if (tuned.ok()) site.schedules = *std::move(tuned);
  return site;
}

}  // namespace

Result<Session> Session::Create(const Model& model) {
  return Create(Model(model));
}

Result<Session> Session::Create(const Model& model, Runtime runtime,
                                const SessionOptions& options) {
  return Create(Model(model), std::move(runtime), options);
}

Result<Session> Session::Create(Model&& model) {
  STINT_ASSIGN_OR_RETURN(Runtime runtime, Runtime::Create());
  return Create(std::move(model), std::move(runtime));
}

Result<Session> Session::Create(Model&& given, Runtime runtime,
                                const SessionOptions& asked) {
  STINT_ASSIGN_OR_RETURN(const SessionOptions options, Settle(given, asked));
  Model model = std::move(given);
  const bool on_codes = options.precision == Precision::kCodes;
  if (!on_codes && !IsFullPolicy(options.lab.policy)) {
    STINT_ASSIGN_OR_RETURN(model, model.Restored());
  }
  Runtime::State* shared = runtime.state_.get();
  KernelSite site = SiteOf(options, shared->isa, shared->pool.threads(),
                           shared->cache_folder);
  auto state = std::make_unique<State>(
      std::move(model).Detached(), std::move(runtime), shared, std::move(site));
  state->options = options;
  if (options.precision != Precision::kAuto) {
    std::lock_guard<std::mutex> lock(shared->running);
    STINT_RETURN_IF_ERROR(state->Open());
  }
  return Session(std::move(state));
}

Result<PlanReport> Session::Plan(const std::vector<Value>& inputs) {
  if (state_->executable == nullptr) return NotDecided();
  const std::lock_guard<std::mutex> lock(state_->shared->running);
  const ThreadPool::Run awake(&state_->shared->pool);
  return state_->executable->PlanFor(inputs);
}

std::optional<PlanReport> Session::CurrentPlan() const {
  return state_->executable == nullptr ? std::nullopt
                                       : state_->executable->CurrentPlan();
}

Result<std::vector<Result<PlanReport>>> Session::PlanVariants(
    const std::vector<Budget>& budgets) const {
  if (state_->executable == nullptr) return NotDecided();
  return state_->executable->PlanVariants(budgets);
}

Result<std::string> Session::SavePlan() const {
  if (state_->executable == nullptr) return NotDecided();
  return state_->executable->SavePlan();
}

BudgetCounts Session::Counts() const {
  return state_->executable == nullptr ? BudgetCounts()
                                       : state_->executable->Counts();
}

Budget Session::budget() const {
  Budget budget = state_->options.budget;
  if (state_->executable != nullptr) {
    budget = state_->executable->CurrentBudget().value_or(budget);
  }
  budget.memory_bytes = state_->MemoryLimit();
  return budget;
}

Status Session::SetBudget(const Budget& asked) {
  if (state_->executable == nullptr) return NotDecided();
  Budget budget = asked;
  STINT_RETURN_IF_ERROR(LimitByEnergy(&budget));
  const std::lock_guard<std::mutex> lock(state_->shared->running);
  return state_->executable->SetBudget(budget);
}

bool Session::calibrating() const {
  return state_->executable != nullptr && state_->executable->calibrating();
}

Status Session::RunInto(const std::vector<Value>& inputs,
                        std::vector<Value>* outputs,
                        const RunControl& control) {
  RunLimits limits;
  limits.cancel = control.cancel;
  if (control.deadline.count() > 0) {
    limits.deadline_ns = NowNs() + control.deadline.count();
  }
  if (state_->executable == nullptr) {
    STINT_RETURN_IF_ERROR(DecidePrecision(inputs));
  }
  const std::lock_guard<std::mutex> lock(state_->shared->running);
  const ThreadPool::Run awake(&state_->shared->pool);
  state_->recorder.Clear();
  return state_->executable->RunInto(inputs, outputs, limits);
}

Precision Session::precision() const { return state_->precision(); }

std::vector<PrecisionTrial> Session::PrecisionTrials() const {
  return state_->trials;
}

std::vector<StepTime> Session::StepTimes() const {
  return state_->recorder.Times();
}

std::vector<StepChoice> Session::StepChoices() const {
  const GraphRunner* runner =
      state_->executable == nullptr ? nullptr : state_->executable->program();
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
    const TextOptions& options, const RunControl& control) {
  STINT_ASSIGN_OR_RETURN(const std::vector<Value> inputs,
                         TextInputs(*state_->model.package(), text, pair,
                                    {options.max_length, options.pad_to}));
  return RunOrdered(inputs, control);
}

}  // namespace stint
