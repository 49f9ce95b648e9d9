#pragma once
// The published two-stage planner (STI, ASPLOS 2023), to compare with and as a
// candidate of ours.

#include "engine/plan/plan.h"

namespace stint {

// Whether computation may wait for reads: never, as published, or as long as
// the run stays within the latency budget.
enum class StiStalls { kNever, kInTime };

// The bits of one model: planes of the bottom layers are preloaded as far as
// the memory goes that no ring of one layer needs, then one bitwidth for all,
// then shards in order of importance as high as they go without a stall that is
// not allowed. It may not fit the budget.
Plan StiPlanOfBits(const PlanProblem& problem,
                   StiStalls stalls = StiStalls::kNever);

// The same with the published choice of the sub-model: the largest that
// computes in time, depth before width.
Plan StiPlan(const PlanProblem& problem, StiStalls stalls);

}  // namespace stint
