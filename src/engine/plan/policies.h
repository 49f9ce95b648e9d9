#pragma once
// Policies to compare the planner with, on the same problem and predictor.

#include <string_view>

#include "engine/plan/plan.h"
#include "stint/status.h"

namespace stint {

// The published two-stage planner (STI, ASPLOS 2023) for the bits of one model:
// planes of the bottom layers are preloaded as far as the memory goes that no
// ring of one layer needs, then one bitwidth for all that never stalls, then
// shards in order of importance as high as they go without a stall. It may not
// fit the budget.
Plan StiPlanOfBits(const PlanProblem& problem);

// "elastic"; "sti" (with the published choice of the sub-model: the largest
// that computes in time, depth before width); "load-then-run" (highest bits,
// nothing overlaps, nothing stays); "pipeline:B" (streamed at B bits, nothing
// pinned); "resident:B" (all in memory); "mean:B" (all in memory, as many bytes
// as at B bits, which need not be whole, spent as the planner does).
// kInvalidArgument for others,
// kBudgetInfeasible when the policy does not fit the budget.
Result<Plan> MakePlanBy(std::string_view policy, const PlanProblem& problem);

}  // namespace stint
