#pragma once
// A plan as the public API shows it.

#include "engine/plan/plan.h"
#include "stint/budget.h"

namespace stint {

// `problem` is the one that the plan was made for. Layers have no names.
PlanReport ReportPlan(const PlanProblem& problem, const Plan& plan);

}  // namespace stint
