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

std::optional<Line> LineOf(const std::vector<PrimitiveCost>& costs, int rows) {
  const auto* few = FindCost(costs, SparseCostName(rows, kSparseShares[0]));
  const auto* many = FindCost(costs, SparseCostName(rows, kSparseShares[1]));
  if (few == nullptr || many == nullptr) return std::nullopt;
  const double slope =
      100 * (many->us - few->us) / (kSparseShares[1] - kSparseShares[0]);
  return Line{few->us - slope * kSparseShares[0] / 100, slope};
}

}  // namespace

std::string SparseCostName(int rows, int percent) {
  return "sparse" + std::to_string(rows) + "@" + std::to_string(percent);
}

std::optional<double> PredictSparse(const std::vector<PrimitiveCost>& costs,
                                    int rows, double share) {
  const auto line = LineOf(costs, rows);
  if (!line) return std::nullopt;
  return line->at_none + line->slope * share;
}

std::optional<PrimitiveCost> FastestDense(
    const std::vector<PrimitiveCost>& costs) {
  for (const PrimitiveCost& cost : costs) {  // fastest first
    if (!cost.primitive.starts_with("sparse")) return cost;
  }
  return std::nullopt;
}

std::optional<double> SparseBreakEven(const std::vector<PrimitiveCost>& costs,
                                      int rows) {
  const auto line = LineOf(costs, rows);
  const auto dense = FastestDense(costs);
  if (!line || !dense || !(line->slope > 0)) return std::nullopt;
  const double share = (dense->us - line->at_none) / line->slope;
  return 1 - std::clamp(share, 0.0, 1.0);
}

}  // namespace stint
