#pragma once
// What other budgets would get: plans that are made and not applied.

#include <span>
#include <string_view>
#include <vector>

#include "engine/plan/plan_problem.h"
#include "stint/budget.h"
#include "stint/status.h"

namespace stint {

// The policy's plan for the problem within each budget instead of its own, in
// the order given; kBudgetInfeasible where nothing fits. Pure, milliseconds per
// budget. Layers have no names, and the percentile stays that of the problem.
std::vector<Result<PlanReport>> PlanVariants(const PlanProblem& problem,
                                             std::string_view policy,
                                             std::span<const Budget> budgets);

}  // namespace stint
