#include "engine/plan/plan.h"

#include <algorithm>

namespace stint {

int BitsOf(const PlanLayer& layer, const LayerPlan& plan, int slice) {
  int bits = 0;
  for (size_t g = 0; g < layer.groups.size(); ++g) {
    const std::vector<PlanUnit>& group = layer.groups[g];
    const auto unit =
        std::find_if(group.begin(), group.end(), [&](const PlanUnit& u) {
          return slice >= u.first_slice && slice < u.first_slice + u.slices;
        });
    const auto at = static_cast<size_t>(unit - group.begin());
    if (unit == group.end() || plan.units[g][at] == UnitUse::kUnused) break;
    bits = static_cast<int>(g) + kPlaneMinBits;
  }
  return bits;
}

double MeanBits(const PlanProblem& problem,
                const std::vector<LayerPlan>& plan) {
  double sum = 0;
  double slices = 0;
  for (size_t k = 0; k < problem.layers.size(); ++k) {
    for (int s = 0; s < problem.layers[k].slices(); ++s) {
      sum += BitsOf(problem.layers[k], plan[k], s);
      ++slices;
    }
  }
  return slices > 0 ? sum / slices : 0;
}

PlanProblem RestrictTo(const PlanProblem& problem, const Plan& plan) {
  if (plan.sub_model < 0) return problem;
  return Restrict(problem,
                  problem.sub_models[static_cast<size_t>(plan.sub_model)]);
}

std::vector<LayerPlan> UniformUse(const PlanProblem& problem, int bits) {
  std::vector<LayerPlan> plan;
  for (const PlanLayer& layer : problem.layers) {
    LayerPlan& uses = plan.emplace_back();
    for (size_t g = 0; g < layer.groups.size(); ++g) {
      const bool used = static_cast<int>(g) + kPlaneMinBits <= bits;
      uses.units.emplace_back(layer.groups[g].size(),
                              used ? UnitUse::kStreamed : UnitUse::kUnused);
    }
  }
  return plan;
}

}  // namespace stint
