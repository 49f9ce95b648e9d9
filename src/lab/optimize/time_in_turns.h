#pragma once
// Times sessions that do the same, so that all see the same machine.

#include <functional>
#include <vector>

#include "stint/session.h"

namespace stint {

// Milliseconds of a run on `row` by each session, from runs in turns over
// `seconds` or three turns, whichever takes longer. `progress` gets seconds.
Result<std::vector<double>> TimeInTurns(
    const std::vector<Session*>& sessions, const std::vector<Value>& row,
    double seconds,
    const std::function<void(double done, double total)>& progress);

}  // namespace stint
