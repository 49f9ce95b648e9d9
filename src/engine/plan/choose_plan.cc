#include "engine/plan/choose_plan.h"

#include <optional>

#include "engine/plan/place_weights.h"
#include "engine/plan/policies.h"
#include "engine/plan/predict.h"

namespace stint {

Result<Plan> UniformPlan(const PlanProblem& problem, int bits) {
  Placement placement = PlaceWeights(problem, UniformUse(problem, bits));
  if (!Fits(problem, placement.predicted)) {
    return BudgetInfeasible(std::to_string(bits) + " bits do not fit");
  }
  Plan plan;
  plan.policy = "mean:" + std::to_string(bits);
  plan.layers = std::move(placement.layers);
  plan.ring_bytes = placement.ring_bytes;
  plan.predicted = std::move(placement.predicted);
  return plan;
}

Result<Plan> FastestPlan(const PlanProblem& problem) {
  std::optional<Plan> fastest;
  const auto consider = [&](const PlanProblem& part, int index, double loss) {
    Placement placement = PlaceWeights(part, UniformUse(part, kPlaneMinBits));
    if (!Fits(part, placement.predicted)) return;
    if (fastest &&
        fastest->predicted.latency_ns <= placement.predicted.latency_ns) {
      return;
    }
    Plan& plan = fastest.emplace();
    plan.policy = "elastic";
    plan.sub_model = index;
    plan.layers = std::move(placement.layers);
    plan.ring_bytes = placement.ring_bytes;
    plan.predicted = std::move(placement.predicted);
    plan.predicted.loss += loss;
  };
  PlanProblem free = problem;
  free.latency_ns = 0;
  consider(free, -1, 0);
  for (size_t i = 0; i < problem.sub_models.size(); ++i) {
    const SubModel& sub = problem.sub_models[i];
    consider(Restrict(free, sub), static_cast<int>(i), sub.loss);
  }
  if (fastest) return *std::move(fastest);
  return BudgetInfeasible("no plan fits " +
                          std::to_string(problem.memory_bytes) +
                          " bytes of memory at any latency");
}

Result<ChosenPlan> ChoosePlan(std::string_view policy,
                              const PlanProblem& problem, bool best_effort) {
  Result<Plan> plan = MakePlanBy(policy, problem);
  if (plan.ok()) return ChosenPlan{*std::move(plan), true};
  if (!best_effort || problem.latency_ns <= 0 ||
      plan.status().code() != StatusCode::kBudgetInfeasible) {
    return plan.status();
  }
  Result<Plan> fastest = FastestPlan(problem);
  if (!fastest.ok()) return plan.status();  // which names nearest budgets
  return ChosenPlan{*std::move(fastest), false};
}

}  // namespace stint
