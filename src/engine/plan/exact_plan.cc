#include "engine/plan/exact_plan.h"

#include <algorithm>

#include "engine/plan/predict.h"

namespace stint {
namespace {

std::vector<UnitUse*> AllUses(std::vector<LayerPlan>* layers) {
  std::vector<UnitUse*> uses;
  for (LayerPlan& layer : *layers) {
    for (std::vector<UnitUse>& group : layer.units) {
      for (UnitUse& use : group) uses.push_back(&use);
    }
  }
  return uses;
}

// Uses that no slice gains by, because it lacks a lower plane, are of no use.
bool IsNested(const PlanProblem& problem,
              const std::vector<LayerPlan>& layers) {
  for (size_t k = 0; k < layers.size(); ++k) {
    const PlanLayer& layer = problem.layers[k];
    for (size_t g = 0; g < layer.groups.size(); ++g) {
      for (size_t u = 0; u < layer.groups[g].size(); ++u) {
        if (layers[k].units[g][u] == UnitUse::kUnused) continue;
        const int slice = layer.groups[g][u].first_slice;
        if (BitsOf(layer, layers[k], slice) <
            static_cast<int>(g) + kPlaneMinBits) {
          return false;
        }
      }
    }
  }
  return true;
}

// The fastest way to place these units, if any fits.
void TryPins(const PlanProblem& problem, std::vector<LayerPlan> layers,
             std::optional<Placement>* best) {
  std::vector<UnitUse*> used;
  for (UnitUse* use : AllUses(&layers)) {
    if (*use != UnitUse::kUnused) used.push_back(use);
  }
  for (uint32_t pins = 0; pins < (1u << used.size()); ++pins) {
    for (size_t i = 0; i < used.size(); ++i) {
      *used[i] = (pins >> i & 1) ? UnitUse::kPinned : UnitUse::kStreamed;
    }
    const int64_t ring = RingBytesFor(problem, layers);
    Prediction predicted = Predict(problem, layers, ring);
    if (!Fits(problem, predicted)) continue;
    const auto rank = [](const Prediction& p) {
      return std::pair(p.loss, p.latency_ns);
    };
    if (!*best || rank(predicted) < rank((*best)->predicted)) {
      *best = Placement{layers, ring, std::move(predicted)};
    }
  }
}

}  // namespace

bool IsSmall(const PlanProblem& problem) {
  size_t units = 0;
  for (const PlanLayer& layer : problem.layers) {
    for (const auto& group : layer.groups) units += group.size();
  }
  return units <= kExactUnits;
}

std::optional<Placement> PlanExactly(const PlanProblem& problem) {
  std::optional<Placement> best;
  std::vector<LayerPlan> layers = UniformUse(problem, kPlaneMinBits);
  const std::vector<UnitUse*> uses = AllUses(&layers);
  for (uint32_t choice = 0; choice < (1u << uses.size()); ++choice) {
    for (size_t i = 0; i < uses.size(); ++i) {
      *uses[i] = (choice >> i & 1) ? UnitUse::kStreamed : UnitUse::kUnused;
    }
    if (!IsNested(problem, layers)) continue;
    const double loss = Predict(problem, layers, 0).loss;
    if (best && loss > best->predicted.loss) continue;
    TryPins(problem, layers, &best);
  }
  return best;
}

}  // namespace stint
