#include "engine/plan/place_weights.h"

#include <algorithm>

#include "engine/plan/predict.h"

namespace stint {
namespace {

// Shares of the memory for shards that may be pinned, in eighths.
constexpr int kShares = 8;

struct UnitPlace {
  size_t layer;
  size_t group;
  size_t unit;
};

// Units in use, by layer, then group.
std::vector<UnitPlace> UsedUnits(const std::vector<LayerPlan>& layers) {
  std::vector<UnitPlace> units;
  for (size_t k = 0; k < layers.size(); ++k) {
    for (size_t g = 0; g < layers[k].units.size(); ++g) {
      for (size_t u = 0; u < layers[k].units[g].size(); ++u) {
        if (layers[k].units[g][u] != UnitUse::kUnused)
          units.push_back({k, g, u});
      }
    }
  }
  return units;
}

// The order in which units are pinned: those of the first `first` layers, then
// low planes of all layers before high ones.
std::vector<UnitPlace> PinOrder(const std::vector<LayerPlan>& layers,
                                size_t first) {
  std::vector<UnitPlace> order = UsedUnits(layers);
  std::stable_sort(order.begin(), order.end(),
                   [&](const UnitPlace& a, const UnitPlace& b) {
                     const bool early_a = a.layer < first;
                     const bool early_b = b.layer < first;
                     if (early_a != early_b) return early_a;
                     return !early_a && a.group < b.group;
                   });
  return order;
}

Placement Pin(const PlanProblem& problem, std::vector<LayerPlan> layers,
              const std::vector<UnitPlace>& order, int64_t pin_bytes) {
  int64_t left = pin_bytes;
  for (const UnitPlace& at : order) {
    const int64_t bytes =
        problem.layers[at.layer].groups[at.group][at.unit].bytes;
    UnitUse& use = layers[at.layer].units[at.group][at.unit];
    use = bytes <= left ? UnitUse::kPinned : UnitUse::kStreamed;
    if (use == UnitUse::kPinned) left -= bytes;
  }
  Placement placement;
  placement.layers = std::move(layers);
  return placement;
}

// Memory first, then latency, then fewer pinned bytes.
bool Better(const PlanProblem& problem, const Placement& a,
            const Placement& b) {
  const auto over = [&](const Placement& p) {
    return problem.memory_bytes <= 0
               ? 0
               : std::max<int64_t>(
                     0, p.predicted.peak_bytes - problem.memory_bytes);
  };
  if (over(a) != over(b)) return over(a) < over(b);
  if (a.predicted.latency_ns != b.predicted.latency_ns) {
    return a.predicted.latency_ns < b.predicted.latency_ns;
  }
  return a.predicted.peak_bytes < b.predicted.peak_bytes;
}

int64_t PinnedBytes(const PlanProblem& problem,
                    const std::vector<LayerPlan>& layers) {
  int64_t bytes = 0;
  for (const UnitPlace& at : UsedUnits(layers)) {
    if (layers[at.layer].units[at.group][at.unit] != UnitUse::kPinned) continue;
    bytes += problem.layers[at.layer].groups[at.group][at.unit].bytes;
  }
  return bytes;
}

}  // namespace

int64_t RingBytesFor(const PlanProblem& problem,
                     const std::vector<LayerPlan>& layers) {
  const int64_t least = LeastRingBytes(problem, layers);
  if (least == 0) return 0;
  const int64_t all = std::max(least, StreamedBytes(problem, layers));
  if (problem.memory_bytes <= 0) return all;
  const int64_t room =
      problem.memory_bytes - problem.fixed_bytes - PinnedBytes(problem, layers);
  return std::max(least, std::min(all, WholePages(room)));
}

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

Placement PinEverything(const PlanProblem& problem,
                        const std::vector<LayerPlan>& layers) {
  Placement all = Pin(problem, layers, UsedUnits(layers), INT64_MAX);
  all.predicted = Predict(problem, all.layers, 0);
  return all;
}

Placement PlaceWeights(const PlanProblem& problem,
                       const std::vector<LayerPlan>& layers) {
  Placement best = PinEverything(problem, layers);
  if (problem.memory_bytes <= 0 ||
      best.predicted.peak_bytes <= problem.memory_bytes) {
    return best;
  }
  const int64_t room =
      std::max<int64_t>(0, problem.memory_bytes - problem.fixed_bytes);
  for (size_t first : {layers.size(), size_t{1}, size_t{0}}) {
    const std::vector<UnitPlace> order = PinOrder(layers, first);
    for (int share = 0; share < kShares; ++share) {
      Placement placement = Pin(problem, layers, order, room / kShares * share);
      placement.ring_bytes = RingBytesFor(problem, placement.layers);
      placement.predicted =
          Predict(problem, placement.layers, placement.ring_bytes);
      if (Better(problem, placement, best)) best = std::move(placement);
    }
  }
  return best;
}

}  // namespace stint
