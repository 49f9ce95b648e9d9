#pragma once
// A plan by the policy asked for, or where none keeps the latency the fastest
// that there is.

#include <string_view>

#include "engine/plan/plan.h"
#include "stint/status.h"

namespace stint {

struct ChosenPlan {
  Plan plan;
  bool keeps_latency = true;
};

// The plan that runs fastest within the memory: lowest bits, of whichever
// sub-model. kBudgetInfeasible when none fits the memory.
Result<Plan> FastestPlan(const PlanProblem& problem);

// So many bits everywhere. kBudgetInfeasible when they do not fit the budget.
Result<Plan> UniformPlan(const PlanProblem& problem, int bits);

// As MakePlanBy; with `best_effort`, FastestPlan where that finds none.
Result<ChosenPlan> ChoosePlan(std::string_view policy,
                              const PlanProblem& problem, bool best_effort);

}  // namespace stint
