#pragma once
// Whether a runtime kept to the threads it was given.

#include <optional>
#include <string>

#include "lab/study/study.h"

namespace stint {

// "uses 3.8 CPUs, threads is 1" where the CPU time of a run exceeds its time by
// more than the threads and 0.3 of a CPU; empty otherwise, and where so little
// time is over that it may be that of the loop around the runs. `condition` has
// the axis `threads`.
std::string ThreadsNote(const Setting& condition, std::optional<double> cpu_ms,
                        std::optional<double> run_ms);

}  // namespace stint
