#pragma once
// What a process may still touch after its memory was measured for a plan.

#include <cstdint>

namespace stint {

// Results, stacks of threads, and code of the caller, whose pages count, too:
// up to 0.98 MB in the command line (`stint eval`, 872 runs, two dozen times).
inline constexpr int64_t kProcessMarginBytes = 1024 << 10;

}  // namespace stint
