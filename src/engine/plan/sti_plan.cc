#include "engine/plan/sti_plan.h"

#include <algorithm>
#include <limits>

#include "engine/plan/place_weights.h"
#include "engine/plan/predict.h"

namespace stint {
namespace {

// How long computation waits for reads in all.
double StallNs(const Prediction& prediction) {
  double stall = 0;
  double computed = 0;
  for (const LayerTiming& layer : prediction.layers) {
    if (computed > 0) stall += layer.compute_begin_ns - computed;
    computed = layer.compute_end_ns;
  }
  return stall;
}

// Preloads units of the bottom layers, low planes first, up to `bytes`.
void Preload(const PlanProblem& problem, int64_t bytes,
             std::vector<LayerPlan>* layers) {
  for (size_t k = 0; k < layers->size(); ++k) {
    for (size_t g = 0; g < (*layers)[k].units.size(); ++g) {
      for (size_t u = 0; u < (*layers)[k].units[g].size(); ++u) {
        UnitUse& use = (*layers)[k].units[g][u];
        const int64_t size = problem.layers[k].groups[g][u].bytes;
        if (use != UnitUse::kStreamed || size > bytes) continue;
        use = UnitUse::kPinned;
        bytes -= size;
      }
    }
  }
}

struct Shard {
  size_t layer;
  int slice;
  double importance;  // what full instead of least fidelity is worth
};

std::vector<Shard> ByImportance(const PlanProblem& problem) {
  std::vector<Shard> shards;
  for (size_t k = 0; k < problem.layers.size(); ++k) {
    const PlanLayer& layer = problem.layers[k];
    const auto top = static_cast<size_t>(layer.most_bits() - kPlaneMinBits);
    for (int s = 0; s < layer.slices(); ++s) {
      const ByFidelity& loss = layer.loss[static_cast<size_t>(s)];
      shards.push_back({k, s, loss[0] - loss[top]});
    }
  }
  std::stable_sort(shards.begin(), shards.end(),
                   [](const Shard& a, const Shard& b) {
                     return a.importance > b.importance;
                   });
  return shards;
}

// Uses all units that give the slice `bits`.
void Raise(const PlanLayer& layer, int slice, int bits, LayerPlan* plan) {
  for (size_t g = 0; static_cast<int>(g) + kPlaneMinBits <= bits; ++g) {
    for (size_t u = 0; u < layer.groups[g].size(); ++u) {
      const PlanUnit& unit = layer.groups[g][u];
      if (slice < unit.first_slice || slice >= unit.first_slice + unit.slices) {
        continue;
      }
      if (plan->units[g][u] == UnitUse::kUnused) {
        plan->units[g][u] = UnitUse::kStreamed;
      }
    }
  }
}

Plan StiOnce(const PlanProblem& problem, int bits) {
  std::vector<LayerPlan> layers = UniformUse(problem, bits);
  const int64_t ring = PipelineRing(problem, layers);
  const int64_t room =
      problem.memory_bytes > 0
          ? std::max<int64_t>(0,
                              problem.memory_bytes - problem.fixed_bytes - ring)
          : INT64_MAX;
  Preload(problem, room, &layers);
  return PredictedPlan(problem, "sti", std::move(layers), ring);
}

// The largest sub-model that computes in time, deeper before wider.
PlanProblem StiSubModel(const PlanProblem& problem, int* chosen) {
  const auto size = [](const PlanProblem& p) {
    int slices = 0;
    for (const PlanLayer& layer : p.layers) slices += layer.slices();
    return std::pair<int, size_t>(slices, p.layers.size());
  };
  PlanProblem best;
  *chosen = -2;
  for (int i = -1; i < static_cast<int>(problem.sub_models.size()); ++i) {
    PlanProblem part =
        i < 0 ? problem
              : Restrict(problem, problem.sub_models[static_cast<size_t>(i)]);
    const Placement compute_only =
        PinEverything(part, UniformUse(part, kPlaneMinBits));
    if (part.latency_ns > 0 &&
        compute_only.predicted.latency_ns > part.latency_ns) {
      continue;
    }
    if (*chosen == -2 || size(part) > size(best)) {
      best = std::move(part);
      *chosen = i;
    }
  }
  return *chosen == -2 ? problem : best;
}

// The highest bitwidth for all that fits, or the lowest.
Plan UniformPlan(const PlanProblem& problem, int most, double most_stall_ns) {
  for (int bits = most; bits > kPlaneMinBits; --bits) {
    Plan uniform = StiOnce(problem, bits);
    if (Fits(problem, uniform.predicted) &&
        StallNs(uniform.predicted) <= most_stall_ns) {
      return uniform;
    }
  }
  return StiOnce(problem, kPlaneMinBits);
}

// Raises the shard as high as it goes.
void RaiseShard(const PlanProblem& problem, const Shard& shard,
                double most_stall_ns, Plan* plan) {
  const PlanLayer& layer = problem.layers[shard.layer];
  for (int bits = layer.most_bits(); bits > kPlaneMinBits; --bits) {
    std::vector<LayerPlan> layers = plan->layers;
    Raise(layer, shard.slice, bits, &layers[shard.layer]);
    if (layers[shard.layer].units == plan->layers[shard.layer].units) return;
    const int64_t ring =
        std::max(plan->ring_bytes, LeastRingBytes(problem, layers));
    Plan raised = PredictedPlan(problem, "sti", std::move(layers), ring);
    if (Fits(problem, raised.predicted) &&
        StallNs(raised.predicted) <= most_stall_ns) {
      *plan = std::move(raised);
      return;
    }
  }
}

}  // namespace

Plan StiPlanOfBits(const PlanProblem& problem, StiStalls stalls) {
  int most = kPlaneMaxBits;
  for (const PlanLayer& layer : problem.layers) {
    most = std::min(most, layer.most_bits());
  }
  constexpr double kAnyNs = std::numeric_limits<double>::infinity();
  const bool waits = stalls == StiStalls::kInTime;
  Plan plan = UniformPlan(problem, most, waits ? kAnyNs : 0);
  if (!Fits(problem, plan.predicted)) return plan;
  const double most_stall_ns = waits ? kAnyNs : StallNs(plan.predicted);
  for (const Shard& shard : ByImportance(problem)) {
    RaiseShard(problem, shard, most_stall_ns, &plan);
  }
  return plan;
}

Plan StiPlan(const PlanProblem& problem, StiStalls stalls) {
  int sub_model = -1;
  Plan plan = StiPlanOfBits(StiSubModel(problem, &sub_model), stalls);
  plan.sub_model = std::max(-1, sub_model);
  if (sub_model >= 0) {
    plan.predicted.loss +=
        problem.sub_models[static_cast<size_t>(sub_model)].loss;
  }
  return plan;
}

}  // namespace stint
