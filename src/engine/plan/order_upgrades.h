#pragma once
// The order in which a planner buys bits: what lowers the loss most for its
// bytes comes first.

#include <cstddef>
#include <vector>

#include "engine/plan/plan_problem.h"

namespace stint {

// One unit more: its slices rise by a bit.
struct Upgrade {
  size_t layer = 0;
  size_t group = 0;
  size_t unit = 0;
  double gain = 0;  // loss that goes away
  int64_t bytes = 0;
};

// Every upgrade over 2 bits, best rate of gain to bytes first, but none before
// one of a lower group of the same slices. Bits of a slice that gain more than
// the bits before them count together with these: a third bit without a gain
// does not hide what the fourth gains.
std::vector<Upgrade> OrderUpgrades(const PlanProblem& problem);

}  // namespace stint
