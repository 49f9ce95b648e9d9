#pragma once
// Small problems by trying everything.

#include <optional>

#include "engine/plan/place_weights.h"

namespace stint {

// Problems with at most so many units are solved exactly: 2^8 choices of units
// with 2^8 choices of pinned ones take about 10 ms.
inline constexpr size_t kExactUnits = 8;

bool IsSmall(const PlanProblem& problem);

// The placement with the least loss that fits, and of those the fastest;
// nothing when none fits. Only for small problems.
std::optional<Placement> PlanExactly(const PlanProblem& problem);

}  // namespace stint
