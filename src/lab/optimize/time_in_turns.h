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

// Sessions that are made when they are to be timed: each has weights and
// activations of its own.
struct SessionSource {
  std::function<Result<Session*>(size_t i)> open;
  std::function<void(size_t i)> close;
};

// The same for `count` sessions, of which at most so many are open at a time:
// the first with a few others. What a group's machine made of the first is what
// the others' times are related to.
inline constexpr size_t kTimedTogether = 4;
Result<std::vector<double>> TimeInGroups(
    size_t count, const SessionSource& source, const std::vector<Value>& row,
    double seconds,
    const std::function<void(double done, double total)>& progress);

}  // namespace stint
