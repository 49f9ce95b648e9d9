#pragma once
// What was chosen for the steps of a bound graph.

#include <vector>

#include "engine/run/graph_runner.h"
#include "stint/session.h"

namespace stint {

// Of the program that was used or bound last: steps of which there is more than
// one kind. Those that are settled only at run time are not included.
std::vector<StepChoice> StepChoicesOf(const GraphRunner& runner);

}  // namespace stint
