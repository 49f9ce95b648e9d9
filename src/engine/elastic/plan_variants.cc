#include "engine/elastic/plan_variants.h"

#include "engine/elastic/report_plan.h"
#include "engine/plan/policies.h"

namespace stint {
namespace {

Result<PlanReport> PlanWithin(PlanProblem problem, std::string_view policy,
                              const Budget& budget) {
  problem.latency_ns = static_cast<double>(budget.latency.count());
  problem.memory_bytes = budget.memory_bytes;
  STINT_ASSIGN_OR_RETURN(const Plan plan, MakePlanBy(policy, problem));
  if (plan.sub_model < 0) return ReportPlan(problem, plan);
  const SubModel& part =
      problem.sub_models[static_cast<size_t>(plan.sub_model)];
  return ReportPlan(Restrict(problem, part), plan);
}

}  // namespace

std::vector<Result<PlanReport>> PlanVariants(const PlanProblem& problem,
                                             std::string_view policy,
                                             std::span<const Budget> budgets) {
  std::vector<Result<PlanReport>> reports;
  for (const Budget& budget : budgets) {
    reports.push_back(PlanWithin(problem, policy, budget));
  }
  return reports;
}

}  // namespace stint
