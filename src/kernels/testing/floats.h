#pragma once
// Inputs and comparisons for kernel tests and benchmarks.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/random.h"

namespace stint {

inline std::vector<float> RandomFloats(int64_t count, uint64_t seed) {
  Random random(seed);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& v : values) v = static_cast<float>(random.NextDouble() * 2 - 1);
  return values;
}

// Each pair differs by at most `tolerance` * max(1, |want|); NaN equals NaN.
inline void ExpectClose(std::span<const float> got, std::span<const float> want,
                        double tolerance) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (got[i] == want[i]) continue;
    if (std::isnan(got[i]) && std::isnan(want[i])) continue;
    const double scale = std::fmax(1.0, std::fabs(want[i]));
    ASSERT_LE(std::fabs(got[i] - want[i]), tolerance * scale)
        << "at " << i << ": got " << got[i] << ", want " << want[i];
  }
}

}  // namespace stint
