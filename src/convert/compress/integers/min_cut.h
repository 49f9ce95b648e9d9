#pragma once
// Two labels for each of several items, so that the sum of what labels cost and
// of what neighbors of different labels cost is least: a minimum cut.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stint {

// The cost of a label that an item must not get; others are far below it, and
// differences of 1e-3 still count beside it.
inline constexpr double kNever = 1e9;

struct LabelCosts {
  double cost[2] = {0, 0};  // of label 0 and 1; any sign
};

struct Disagreement {
  size_t a = 0;
  size_t b = 0;
  double cost = 0;  // at least 0, when the labels of a and b differ
};

// The labels; exact. Of equal costs, label 0.
std::vector<bool> CheapestLabels(const std::vector<LabelCosts>& items,
                                 const std::vector<Disagreement>& pairs);

}  // namespace stint
