#pragma once
// Session: a model made ready to run.

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stint/budget.h"
#include "stint/kernel_candidate.h"
#include "stint/lab.h"
#include "stint/model.h"
#include "stint/runtime.h"
#include "stint/target.h"

namespace stint {

struct NamedValue {
  std::string name;
  Value value;
};

struct RunControl {
  // Set to true from another thread to stop the run between two steps.
  const std::atomic<bool>* cancel = nullptr;
  // The run fails with kCancelled once it has taken this long; 0: no limit.
  std::chrono::nanoseconds deadline{0};
};

struct TextOptions {
  int64_t max_length = 0;  // tokens; 0: what the model allows
  int64_t pad_to = 0;      // pad to at least this many tokens
};

struct SessionOptions {
  // Where it runs: "cpu", or "opencl:N", a device that `stint device` lists. On
  // OpenCL all of a model runs there or nothing, in float32 and without
  // budgets; kUnsupported names what there is no kernel or no device for.
  std::string device = "cpu";
  // Absent: kCodes for an elastic file, else kFloat32. An elastic file in any
  // other precision is restored to memory first. Convolutions in kInt8 need the
  // ranges of the activations between them: the first runs also run in fp32 to
  // measure them (calibration_runs). Convolutions without a kernel in the
  // precision: kUnsupported. With kAuto the first run tries all on its inputs
  // and keeps the fastest whose outputs are within `tolerance`; its limits do
  // not bound the trials. See Session::PrecisionTrials.
  std::optional<Precision> precision = {};
  // For an elastic file on codes. Without a budget all weights are in memory at
  // the highest fidelity. Other models take only a budget of memory: weights
  // then grow for speed (Winograd) as far as it allows, and a run that takes
  // more fails with kBudgetInfeasible.
  Budget budget = {};
  // A plan to use as it is, from Session::SavePlan; then nothing is measured or
  // planned, and the budget's memory only checks it. Empty: plan.
  std::string plan = {};
  // For kAuto: the largest difference from fp32, over the largest magnitude of
  // that output.
  double tolerance = 0.05;
  // How many runs measure ranges, at least 1. From the last of them on, answers
  // are those of the integer kernels; those before it are fp32.
  int calibration_runs = 1;
  // Remember when each step of the last run began and ended; see StepTimes.
  bool profile = false;
  // Plans of elastic files say what the process takes besides weights
  // (PlanReport::memory). Finding out takes a few milliseconds and 100 KB.
  bool explain_memory = false;
  // For experiments.
  LabOptions lab = {};
};

struct StepTime {
  std::string node;
  std::string op;
  double start_us = 0;  // since the first step began
  double end_us = 0;
};

// The kernel chosen for a step that has several, and why.
struct StepChoice {
  std::string node;
  std::string op;
  std::string kernel;    // "winograd4_avx512"
  std::string reason;    // "default", "measured", "tuned", "untuned", "forced"
  std::string detail;    // what it was compared with, and what it costs
  std::string schedule;  // "direct:t8x2", where the kernel has one
  std::string rule;      // the rule or measurement that decided
  // Every kernel for the operator, and what speaks against those not chosen.
  std::vector<KernelCandidate> candidates;
};

// What kAuto found of one precision.
struct PrecisionTrial {
  Precision precision = Precision::kFloat32;
  double run_ms = 0;   // the quickest of a few runs
  double error = 0;    // as SessionOptions::tolerance counts it
  std::string reason;  // why it was not chosen; empty for the chosen one
};

// Used by one thread at a time.
class Session {
 public:
  // Chooses kernels; weights are packed for them when the first run shows its
  // shapes. A session that is made from an rvalue frees weights as they are
  // packed, so that memory holds them once, unless copies of the model hold
  // them; one that is made from an lvalue leaves the model as it is, for other
  // sessions. Without a runtime, the session has one of its own.
  static Result<Session> Create(Model&& model);
  static Result<Session> Create(const Model& model);
  static Result<Session> Create(Model&& model, Runtime runtime,
                                const SessionOptions& options = {});
  static Result<Session> Create(const Model& model, Runtime runtime,
                                const SessionOptions& options = {});
  // std::move of a const model would keep the weights twice without a word.
  static Result<Session> Create(const Model&& model) = delete;
  static Result<Session> Create(const Model&& model, Runtime runtime,
                                const SessionOptions& options = {}) = delete;
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  const ModelInfo& model_info() const;

  // Every input of the model by name, each of the declared type; dimensions of
  // one name must agree. Returns every output. The same inputs give the same
  // outputs bit for bit at a given thread count and instruction set.
  Result<std::vector<NamedValue>> Run(const std::vector<NamedValue>& inputs,
                                      const RunControl& control = {});

  // The same with inputs in the model's order and into tensors of the caller:
  // those that fit are overwritten, so that a run allocates nothing.
  Status RunInto(const std::vector<Value>& inputs, std::vector<Value>* outputs,
                 const RunControl& control = {});

  // On codes: makes the plan for inputs of these shapes and reads what it pins,
  // so that runs find it there; otherwise the first run does so. A run with
  // larger inputs plans again. kBudgetInfeasible names the nearest budgets.
  Result<PlanReport> Plan(const std::vector<Value>& inputs);
  // What other budgets would get, with the costs of the last plan; nothing
  // changes. An element is kBudgetInfeasible where nothing fits.
  // kInvalidArgument before the first plan.
  Result<std::vector<Result<PlanReport>>> PlanVariants(
      const std::vector<Budget>& budgets) const;
  // The plan in use, and what became of it; nothing when not on codes or before
  // the first plan.
  std::optional<PlanReport> CurrentPlan() const;
  // The plan in use as text, for SessionOptions::plan of later sessions on the
  // same file, instruction set and threads. kInvalidArgument before the first
  // plan.
  Result<std::string> SavePlan() const;
  BudgetCounts Counts() const;
  // The one in force, the runtime's memory taken into account.
  Budget budget() const;
  // Another budget from the next run on: plans again and reads only what is
  // missing. When nothing fits, all stays as it is. A plan that was given ends.
  Status SetBudget(const Budget& budget);

  // The arithmetic in use; kAuto until the first run has decided.
  Precision precision() const;
  // In kInt8: ranges are still being measured, answers are those of fp32.
  bool calibrating() const;
  // With kAuto, after the first run: every precision.
  std::vector<PrecisionTrial> PrecisionTrials() const;

  // The steps of the last run, with SessionOptions::profile.
  std::vector<StepTime> StepTimes() const;

  // The choices made for the shapes of the last run; empty before the first.
  std::vector<StepChoice> StepChoices() const;

  // Tokenizes and runs; kInvalidArgument when the model takes no text.
  Result<std::vector<NamedValue>> RunText(
      std::string_view text,
      std::optional<std::string_view> pair = std::nullopt,
      const TextOptions& options = {}, const RunControl& control = {});

 private:
  struct State;
  // Of stint's own commands: what the model is made of.
  friend const Package& PackageOf(const Session& session);
  explicit Session(std::unique_ptr<State> state);
  Status DecidePrecision(const std::vector<Value>& inputs);
  Result<std::vector<NamedValue>> RunOrdered(const std::vector<Value>& inputs,
                                             const RunControl& control);
  std::unique_ptr<State> state_;
};

}  // namespace stint
