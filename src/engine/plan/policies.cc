#include "engine/plan/policies.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "engine/plan/make_plan.h"
#include "engine/plan/place_weights.h"
#include "engine/plan/predict.h"
#include "engine/plan/sti_plan.h"

namespace stint {
namespace {

Result<int> ParseBits(std::string_view text, std::string_view policy) {
  int bits = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), bits);
  if (error != std::errc() || end != text.data() + text.size() ||
      bits < kPlaneMinBits || bits > kPlaneMaxBits) {
    return InvalidArgument("policy '" + std::string(policy) +
                           "', expected 2 to 8 bits behind the colon");
  }
  return bits;
}

// Everything is read before anything is computed.
Plan LoadThenRunPlan(const PlanProblem& problem) {
  std::vector<LayerPlan> layers = UniformUse(problem, kPlaneMaxBits);
  const int64_t all = StreamedBytes(problem, layers);
  const double compute_ns = PinEverything(problem, layers).predicted.latency_ns;
  Plan plan = PredictedPlan(problem, "load-then-run", std::move(layers), all);
  plan.overlaps = false;
  plan.predicted.latency_ns =
      plan.predicted.layers.back().read_end_ns + compute_ns;
  return plan;
}

Plan PipelinePlan(const PlanProblem& problem, int bits) {
  std::vector<LayerPlan> layers = UniformUse(problem, bits);
  const int64_t ring = PipelineRing(problem, layers);
  return PredictedPlan(problem, "pipeline", std::move(layers), ring);
}

Plan ResidentPlan(const PlanProblem& problem, int bits) {
  Placement resident = PinEverything(problem, UniformUse(problem, bits));
  return PredictedPlan(problem, "resident", std::move(resident.layers), 0);
}

// The best bits with as many bytes as all shards have at a mean of `bits`, all
// of them in memory.
Result<Plan> MeanPlan(const PlanProblem& problem, double bits) {
  const int low = std::min(static_cast<int>(bits), kPlaneMaxBits - 1);
  const auto bytes_at = [&](int b) {
    return static_cast<double>(StreamedBytes(problem, UniformUse(problem, b)));
  };
  const double bytes =
      bytes_at(low) + (bits - low) * (bytes_at(low + 1) - bytes_at(low));
  PlanProblem resident = problem;
  resident.memory_bytes = problem.fixed_bytes + static_cast<int64_t>(bytes);
  // Storage of which nothing can be read during a run.
  resident.read.points = {{0, 0.0}};
  resident.read.latency_ns = 1e15;
  resident.latency_ns = 1e14;
  STINT_ASSIGN_OR_RETURN(Plan plan, MakePlan(resident));
  const PlanProblem part =
      plan.sub_model < 0
          ? problem
          : Restrict(problem,
                     problem.sub_models[static_cast<size_t>(plan.sub_model)]);
  const double loss = plan.predicted.loss;  // with the sub-model's own
  plan.predicted = Predict(part, plan.layers, plan.ring_bytes);
  plan.predicted.loss = loss;
  return plan;
}

Result<Plan> PlanOf(std::string_view policy, const PlanProblem& problem) {
  constexpr std::string_view kPipeline = "pipeline:";
  constexpr std::string_view kResident = "resident:";
  constexpr std::string_view kMean = "mean:";
  if (policy == "elastic") return MakePlan(problem);
  if (policy == "sti") return StiPlan(problem, StiStalls::kNever);
  if (policy == "sti+wait") return StiPlan(problem, StiStalls::kInTime);
  if (policy == "load-then-run") return LoadThenRunPlan(problem);
  if (policy.starts_with(kMean)) {
    double bits = 0;
    const std::string_view text = policy.substr(kMean.size());
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), bits);
    if (error != std::errc() || end != text.data() + text.size() ||
        !(bits >= kPlaneMinBits && bits <= kPlaneMaxBits)) {
      return InvalidArgument("policy '" + std::string(policy) +
                             "', expected a mean of 2 to 8 bits");
    }
    return MeanPlan(problem, bits);
  }
  for (std::string_view prefix : {kPipeline, kResident}) {
    if (!policy.starts_with(prefix)) continue;
    STINT_ASSIGN_OR_RETURN(const int bits,
                           ParseBits(policy.substr(prefix.size()), policy));
    return prefix == kPipeline ? PipelinePlan(problem, bits)
                               : ResidentPlan(problem, bits);
  }
  return InvalidArgument("policy '" + std::string(policy) +
                         "', expected elastic, sti, sti+wait, "
                         "load-then-run, pipeline:B, resident:B or mean:B");
}

}  // namespace

Result<Plan> MakePlanBy(std::string_view policy, const PlanProblem& problem) {
  STINT_ASSIGN_OR_RETURN(Plan plan, PlanOf(policy, problem));
  plan.policy = policy;
  if (Fits(problem, plan.predicted)) return plan;
  return BudgetInfeasible("policy " + std::string(policy) +
                          " does not fit the budget");
}

}  // namespace stint
