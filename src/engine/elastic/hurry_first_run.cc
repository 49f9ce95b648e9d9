// A first run whose latency counts from the start of the process: all that it
// uses must be read, pinned or not, so less may have to be read.

#include "core/platform/clock.h"
#include "engine/elastic/elastic_runner.h"
#include "engine/plan/choose_plan.h"
#include "engine/plan/place_weights.h"
#include "engine/plan/predict.h"

namespace stint {
namespace {

// Binding, and pages that are touched for the first time: assumed, not
// measured.
constexpr double kFirstUseNs = 5e6;
// Reading and computing disturb each other.
constexpr double kUncertain = 1.4;

// Weights come in behind the computation; those that stay need no ring.
double FirstRunNs(const PlanProblem& problem, std::vector<LayerPlan> layers) {
  int64_t bytes = 0;
  for (size_t k = 0; k < layers.size(); ++k) {
    for (size_t g = 0; g < layers[k].units.size(); ++g) {
      for (size_t u = 0; u < layers[k].units[g].size(); ++u) {
        UnitUse& use = layers[k].units[g][u];
        if (use == UnitUse::kUnused) continue;
        use = UnitUse::kStreamed;
        bytes += problem.layers[k].groups[g][u].bytes;
      }
    }
  }
  return kFirstUseNs +
         kUncertain * Predict(problem, layers, 2 * bytes).latency_ns;
}

}  // namespace

Result<bool> ElasticRunner::HurryFirstRun(const PlanProblem& problem,
                                          ChosenPlan* chosen) const {
  const double left_ns = problem.latency_ns - MsSinceProcessStart() * 1e6;
  double quickest_ns =
      FirstRunNs(RestrictTo(problem, chosen->plan), chosen->plan.layers);
  if (quickest_ns <= left_ns) return false;
  // As many bits as there is time to read, the same everywhere.
  int bits = kPlaneMaxBits;
  while (bits > kPlaneMinBits &&
         FirstRunNs(problem, UniformUse(problem, bits)) > left_ns) {
    --bits;
  }
  const auto consider = [&](Result<Plan> plan) {
    if (!plan.ok() || quickest_ns <= left_ns) return;
    const double ns = FirstRunNs(RestrictTo(problem, *plan), plan->layers);
    if (ns >= quickest_ns) return;
    quickest_ns = ns;
    chosen->plan = *std::move(plan);
  };
  consider(UniformPlan(problem, bits));
  if (quickest_ns > left_ns) consider(FastestPlan(problem));
  if (quickest_ns <= left_ns) return true;
  chosen->keeps_latency = false;
  if (options_.budget.best_effort) return true;
  const int64_t needed_ms = static_cast<int64_t>(
      (problem.latency_ns - left_ns + quickest_ns) * 1e-6 + 1);
  return BudgetInfeasible(
      "the first answer takes " + std::to_string(needed_ms) +
      " ms from the start of the process, the budget is " +
      std::to_string(static_cast<int64_t>(problem.latency_ns * 1e-6)) +
      " ms; a run after the first one is quicker (--from run)");
}

}  // namespace stint
