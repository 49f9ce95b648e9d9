#include "engine/device/sparse_costs.h"

#include <algorithm>

namespace stint {
namespace {

struct Line {
  double at_none = 0;
  double slope = 0;
};

const PrimitiveCost* FindCost(const std::vector<PrimitiveCost>& costs,
                              const std::string& name) {
  for (const PrimitiveCost& cost : costs) {
    if (cost.primitive == name) return &cost;
  }
  return nullptr;
}

std::optional<Line> LineOf(const std::vector<PrimitiveCost>& costs,
                           const SparseForm& form) {
  const auto* few = FindCost(costs, SparseCostName(form, kSparseShares[0]));
  const auto* many = FindCost(costs, SparseCostName(form, kSparseShares[1]));
  if (few == nullptr || many == nullptr) return std::nullopt;
  const double slope =
      100 * (many->us - few->us) / (kSparseShares[1] - kSparseShares[0]);
  return Line{few->us - slope * kSparseShares[0] / 100, slope};
}

}  // namespace

std::string SparseCostName(const SparseForm& form, int percent) {
  return std::string(SparseGatherName(form.gather)) +
         std::to_string(form.rows) + "@" + std::to_string(percent);
}

std::optional<double> PredictSparse(const std::vector<PrimitiveCost>& costs,
                                    const SparseForm& form, double share) {
  const auto line = LineOf(costs, form);
  if (!line) return std::nullopt;
  return line->at_none + line->slope * share;
}

std::optional<SparseTime> FastestSparse(const std::vector<PrimitiveCost>& costs,
                                        int rows, double share) {
  std::optional<SparseTime> fastest;
  for (SparseGather gather : kSparseGathers) {
    const auto us = PredictSparse(costs, {rows, gather}, share);
    if (us && (!fastest || *us < fastest->us)) fastest = {gather, *us};
  }
  return fastest;
}

std::optional<PrimitiveCost> FastestDense(
    const std::vector<PrimitiveCost>& costs) {
  for (const PrimitiveCost& cost : costs) {  // fastest first
    if (!cost.primitive.starts_with("sparse")) return cost;
  }
  return std::nullopt;
}

std::optional<BreakEven> SparseBreakEven(
    const std::vector<PrimitiveCost>& costs, int rows) {
  const auto dense = FastestDense(costs);
  if (!dense) return std::nullopt;
  std::optional<BreakEven> first;
  for (SparseGather gather : kSparseGathers) {
    const auto line = LineOf(costs, {rows, gather});
    if (!line || !(line->slope > 0)) continue;
    const double share = (dense->us - line->at_none) / line->slope;
    const double zeros = 1 - std::clamp(share, 0.0, 1.0);
    if (!first || zeros < first->zeros) first = {zeros, gather};
  }
  return first;
}

}  // namespace stint
