#pragma once
// Executable: a model made ready to run in one way. A session holds one: a
// bound program, weights streamed within a budget, a program on a device.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/run/graph_runner.h"
#include "stint/budget.h"

namespace stint {

// Used by one thread at a time.
class Executable {
 public:
  virtual ~Executable() = default;

  // Inputs in the order of the graph's. Outputs that are there and fit are
  // overwritten. Prepares first for shapes that are new.
  virtual Status RunInto(std::span<const Value> inputs,
                         std::vector<Value>* outputs,
                         const RunLimits& limits) = 0;

  // Told of each step of every run from now on; may be null.
  virtual void Observe(StepObserver* observer) = 0;

  // The program that runs now, whose kernels can be listed; null where there is
  // none, or none yet.
  virtual GraphRunner* program() { return nullptr; }

  // Ranges of activations are still being measured: answers are those of fp32.
  virtual bool calibrating() const { return false; }

  // What follows is for executables whose runs are planned; of others it is
  // empty, or kInvalidArgument.

  // Plans for inputs of these shapes and reads what stays in memory, so that a
  // run finds it done.
  virtual Result<PlanReport> PlanFor(std::span<const Value> inputs);
  // The budget that runs are planned for.
  virtual std::optional<Budget> CurrentBudget() const { return std::nullopt; }
  // Nothing before the first plan.
  virtual std::optional<PlanReport> CurrentPlan() const { return std::nullopt; }
  virtual BudgetCounts Counts() const { return {}; }
  virtual Status SetBudget(const Budget& budget);
  virtual Result<std::string> SavePlan() const;
  virtual Result<std::vector<Result<PlanReport>>> PlanVariants(
      std::span<const Budget> budgets) const;
};

// kBudgetInfeasible when the process has taken more than `budget_bytes`; 0: no
// limit.
Status CheckPeakMemory(int64_t budget_bytes);

}  // namespace stint
