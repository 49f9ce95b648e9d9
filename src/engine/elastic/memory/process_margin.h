#pragma once
// What a process may still touch after its memory was measured for a plan.

#include <cstdint>

namespace stint {

// Results, the plan itself and code of the caller, whose pages count, too: up
// to 650 KB by the second of several texts of `stint run --batch-file --format
// json` (tests/cli/field_test.py).
inline constexpr int64_t kProcessMarginBytes = 800 << 10;

}  // namespace stint
