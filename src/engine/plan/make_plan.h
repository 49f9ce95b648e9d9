#pragma once
// The planner: the bits of every shard, the sub-model and the placement with
// which answers suffer least within the budget.

#include <optional>

#include "engine/plan/plan.h"
#include "stint/status.h"

namespace stint {

// kBudgetInfeasible when no plan fits; the message names the nearest budgets
// that would do. Deterministic.
Result<Plan> MakePlan(const PlanProblem& problem);

// The smallest budgets that would do.
struct NearestBudgets {
  // Least memory at the asked latency, and least latency at the asked memory;
  // absent when no amount of it would do.
  std::optional<int64_t> memory_bytes;
  std::optional<double> latency_ns;
};
NearestBudgets FindNearestBudgets(const PlanProblem& problem);

}  // namespace stint
