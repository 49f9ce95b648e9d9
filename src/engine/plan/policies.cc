#include "engine/plan/policies.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "engine/plan/make_plan.h"
#include "engine/plan/place_weights.h"
#include "engine/plan/predict.h"

namespace stint {
namespace {

Plan ToPlan(const PlanProblem& problem, std::string policy,
            std::vector<LayerPlan> layers, int64_t ring) {
  Plan plan;
  plan.policy = std::move(policy);
  plan.ring_bytes = ring;
  plan.predicted = Predict(problem, layers, ring);
  plan.layers = std::move(layers);
  return plan;
}

// A ring for two neighboring layers, or what memory there is.
int64_t PipelineRing(const PlanProblem& problem,
                     const std::vector<LayerPlan>& layers) {
  const int64_t least = LeastRingBytes(problem, layers);
  int64_t ring =
      std::min(2 * least, std::max(least, StreamedBytes(problem, layers)));
  if (problem.memory_bytes > 0) {
    const int64_t room = problem.memory_bytes - problem.fixed_bytes;
    ring = std::max(least, std::min(ring, WholePages(room)));
  }
  return ring;
}

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
  return ToPlan(problem, "sti", std::move(layers), ring);
}

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

}  // namespace

Plan StiPlanOfBits(const PlanProblem& problem) {
  int most = kPlaneMaxBits;
  for (const PlanLayer& layer : problem.layers) {
    most = std::min(most, layer.most_bits());
  }
  Plan plan = StiOnce(problem, kPlaneMinBits);
  for (int bits = most; bits > kPlaneMinBits; --bits) {
    Plan uniform = StiOnce(problem, bits);
    if (!Fits(problem, uniform.predicted) || StallNs(uniform.predicted) > 0) {
      continue;
    }
    plan = std::move(uniform);
    break;
  }
  if (!Fits(problem, plan.predicted)) return plan;
  const double stall = StallNs(plan.predicted);
  for (const Shard& shard : ByImportance(problem)) {
    for (int bits = most; bits > kPlaneMinBits; --bits) {
      std::vector<LayerPlan> layers = plan.layers;
      Raise(problem.layers[shard.layer], shard.slice, bits,
            &layers[shard.layer]);
      if (layers[shard.layer].units == plan.layers[shard.layer].units) break;
      const int64_t ring =
          std::max(plan.ring_bytes, LeastRingBytes(problem, layers));
      Plan raised = ToPlan(problem, "sti", std::move(layers), ring);
      if (Fits(problem, raised.predicted) &&
          StallNs(raised.predicted) <= stall) {
        plan = std::move(raised);
        break;
      }
    }
  }
  return plan;
}

namespace {

Plan StiPlan(const PlanProblem& problem) {
  int sub_model = -1;
  Plan plan = StiPlanOfBits(StiSubModel(problem, &sub_model));
  plan.sub_model = std::max(-1, sub_model);
  if (sub_model >= 0) {
    plan.predicted.loss +=
        problem.sub_models[static_cast<size_t>(sub_model)].loss;
  }
  return plan;
}

// Everything is read before anything is computed.
Plan LoadThenRunPlan(const PlanProblem& problem) {
  std::vector<LayerPlan> layers = UniformUse(problem, kPlaneMaxBits);
  const int64_t all = StreamedBytes(problem, layers);
  const double compute_ns = PinEverything(problem, layers).predicted.latency_ns;
  Plan plan = ToPlan(problem, "load-then-run", std::move(layers), all);
  plan.overlaps = false;
  plan.predicted.latency_ns =
      plan.predicted.layers.back().read_end_ns + compute_ns;
  return plan;
}

Plan PipelinePlan(const PlanProblem& problem, int bits) {
  std::vector<LayerPlan> layers = UniformUse(problem, bits);
  const int64_t ring = PipelineRing(problem, layers);
  return ToPlan(problem, "pipeline", std::move(layers), ring);
}

Plan ResidentPlan(const PlanProblem& problem, int bits) {
  Placement resident = PinEverything(problem, UniformUse(problem, bits));
  return ToPlan(problem, "resident", std::move(resident.layers), 0);
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
  if (policy == "sti") return StiPlan(problem);
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
                         "', expected elastic, sti, load-then-run, "
                         "pipeline:B, resident:B or mean:B");
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
