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
#include "stint/model.h"
#include "stint/runtime.h"

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
  // Arithmetic of matrix products and convolutions with constant weights:
  // "fp32", "bf16" (weights in bfloat16, and on AMX what they are multiplied
  // by) or "int8" (activations are quantized row by row). Convolutions in int8
  // need the ranges of what flows between them: the first runs also run in fp32
  // to measure them (calibration_runs). Convolutions with no kernel in that
  // arithmetic: kUnsupported. "auto": the first run tries all of them on its
  // inputs and keeps the fastest whose outputs are within `tolerance`; its
  // limits do not bound the trials. See Session::PrecisionTrials. Empty:
  // "codes" for an elastic file (weights of 2 to 8 bits, activations in int8),
  // else fp32. An elastic file in any other precision is restored to memory
  // first.
  std::string precision = {};
  // For an elastic file on codes. Without a budget all weights are in memory at
  // the highest fidelity. Other models take only a budget of memory: weights
  // then grow for speed (Winograd) as far as it allows, and a run that takes
  // more fails with kBudgetInfeasible.
  Budget budget = {};
  // Who plans: "elastic", or to compare with: "sti", "sti+wait",
  // "load-then-run", "pipeline:B", "resident:B" with B bits. B of 32 is for a
  // plain .stint file, packed for this machine, instead of an elastic one: its
  // weights are in memory, or streamed layer by layer, in float32.
  std::string policy = "elastic";
  // A plan to use as it is, from Session::SavePlan; then nothing is measured or
  // planned, and the budget's memory only checks it. Empty: plan.
  std::string plan = {};
  // Imitates slower storage: "80MB/s,1ms"; empty: as it is.
  std::string storage = {};
  // For "auto": the largest difference from fp32, over the largest magnitude of
  // that output.
  double tolerance = 0.05;
  // The convolution primitive to use wherever it applies ("direct",
  // "winograd4", ...); empty: for each layer the fastest that `stint device
  // --tune` measured on this machine, or else a default.
  std::string primitive = {};
  // How convolutions are computed: "tuned" (what `stint tune` found on this
  // machine, else as "default"), "default" (as above) or "untuned" (one fixed
  // schedule, to compare with).
  std::string schedule = "tuned";
  // How many runs measure ranges, at least 1. From the last of them on, answers
  // are those of the integer kernels; those before it are fp32.
  int calibration_runs = 1;
  // Remember when each step of the last run began and ended; see StepTimes.
  bool profile = false;
  // Plans of elastic files say what the process takes besides weights
  // (PlanReport::memory). Finding out takes a few milliseconds and 100 KB.
  bool explain_memory = false;
  // Take every step but compute nothing: what a run then costs is the
  // runtime's own.
  bool null_kernels = false;
  // Every step takes so much longer, without computing: an overhead of known
  // size, to check what measures overheads. 0: none.
  double step_delay_us = 0;
};

struct StepTime {
  std::string node;
  std::string op;
  double start_us = 0;  // since the first step began
  double end_us = 0;
};

// What runs a step of which there is more than one kind, and why that.
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

inline constexpr std::string_view kAutoPrecision = "auto";
inline constexpr std::string_view kCodesPrecision = "codes";

// What "auto" found of one precision.
struct PrecisionTrial {
  std::string precision;
  double run_ms = 0;   // the quickest of a few runs
  double error = 0;    // as SessionOptions::tolerance counts it
  std::string reason;  // why it was not chosen; empty for the chosen one
};

// Used by one thread at a time.
class Session {
 public:
  // Chooses kernels; weights are packed for them when the first run shows its
  // shapes. A model that is moved here and has no other copy gives its weights
  // up for the packed ones, so that memory holds them once; keep a copy to make
  // another session of it. Without a runtime, the session has one of its own.
  static Result<Session> Create(Model model);
  static Result<Session> Create(Model model, Runtime runtime,
                                const SessionOptions& options = {});
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  const Model& model() const;

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

  // The arithmetic in use; "auto" until the first run has decided.
  std::string precision() const;
  // In int8: ranges are still being measured, answers are those of fp32.
  bool calibrating() const;
  // With "auto", after the first run: every precision.
  std::vector<PrecisionTrial> PrecisionTrials() const;

  // The steps of the last run, with SessionOptions::profile.
  std::vector<StepTime> StepTimes() const;

  // The choices made for the shapes of the last run; empty before the first.
  std::vector<StepChoice> StepChoices() const;

  // Tokenizes and runs; kInvalidArgument when the model takes no text.
  Result<std::vector<NamedValue>> RunText(
      std::string_view text,
      std::optional<std::string_view> pair = std::nullopt,
      const TextOptions& options = {});

 private:
  struct State;
  explicit Session(std::unique_ptr<State> state);
  Status DecidePrecision(const std::vector<Value>& inputs);
  Result<std::vector<NamedValue>> RunOrdered(const std::vector<Value>& inputs,
                                             const RunControl& control);
  std::unique_ptr<State> state_;
};

}  // namespace stint
