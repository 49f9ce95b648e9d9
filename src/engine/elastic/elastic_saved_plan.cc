// Plans of an elastic runner that were made earlier.

#include "engine/elastic/elastic_runner.h"
#include "engine/plan/predict.h"

namespace stint {

Status ElasticRunner::UseSavedPlan(std::span<const Value> inputs) {
  const SavedPlan& saved = *options_.saved;
  const ShardCatalog& catalog = package_->shards->catalog;
  if (saved.model != fingerprint_) {
    return InvalidArgument("the plan was made for another file than " +
                           package_->shards->file->path());
  }
  if (SizeOf(inputs) > saved.input_elements) {
    return InvalidArgument("the plan is for inputs of at most " +
                           std::to_string(saved.input_elements) +
                           " elements, these have " +
                           std::to_string(SizeOf(inputs)));
  }
  if (saved.plan.sub_model >= static_cast<int>(catalog.sub_networks.size())) {
    return InvalidArgument("the plan has sub-model " +
                           std::to_string(saved.plan.sub_model) + " of " +
                           std::to_string(catalog.sub_networks.size()));
  }
  STINT_RETURN_IF_ERROR(Estimate(inputs));
  known_.fixed_bytes = share_.fixed_bytes = saved.fixed_bytes;
  executable_->EndPhase();
  const PlanProblem whole = MakeProblemNow();
  const PlanProblem problem = RestrictTo(whole, saved.plan);
  STINT_RETURN_IF_ERROR(CheckPlanFor(problem, saved.plan));
  Plan plan = saved.plan;
  plan.predicted = Predict(problem, plan.layers, plan.ring_bytes);
  plan.predicted.latency_ns = saved.plan.predicted.latency_ns;
  if (problem.memory_bytes > 0 &&
      plan.predicted.peak_bytes > problem.memory_bytes) {
    return BudgetInfeasible("memory " + std::to_string(problem.memory_bytes) +
                            " bytes: the saved plan takes " +
                            std::to_string(plan.predicted.peak_bytes));
  }
  STINT_RETURN_IF_ERROR(Deploy(whole, {std::move(plan), true}));
  known_.shapes = InputShapes::Of(inputs);
  known_.elements = saved.input_elements;
  return OkStatus();
}

SavedPlan ElasticRunner::Save() const {
  return {fingerprint_, known_.elements, options_.budget.memory_bytes,
          known_.fixed_bytes, plan()};
}

}  // namespace stint
