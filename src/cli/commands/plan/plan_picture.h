#pragma once
// A plan as a picture: what storage and the processor do when.

#include <string>

#include "stint/budget.h"

namespace stint::cli {

// SVG with two lanes over time, a box per layer and lane with its bits; what
// joins the two boxes of a layer leans by its slack: it has the color of
// waiting where a layer computes as soon as it has been read. `latency_ms` is
// the budget, 0: none.
std::string PlanPicture(const PlanReport& plan, double latency_ms);

}  // namespace stint::cli
