#pragma once
// Policies to compare the planner with, on the same problem and predictor.

#include <string_view>

#include "engine/plan/plan.h"
#include "stint/status.h"

namespace stint {

// "elastic"; "sti" (the published planner); "sti+wait" (the same, but reads may
// take what is left of the latency budget); "load-then-run" (highest bits,
// nothing overlaps, nothing stays); "pipeline:B" (streamed at B bits, nothing
// pinned); "resident:B" (all in memory); "mean:B" (all in memory, as many bytes
// as at B bits, which need not be whole, spent as the planner does).
// kInvalidArgument for others, kBudgetInfeasible when the policy does not fit
// the budget.
Result<Plan> MakePlanBy(std::string_view policy, const PlanProblem& problem);

}  // namespace stint
