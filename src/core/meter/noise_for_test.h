#pragma once
// Noise of median 0 and a spread of about 1, as timings have it.

#include <cmath>

#include "core/base/random.h"

namespace stint {

struct NoiseForTest {
  const char* name;
  double (*draw)(Random* random);
};

inline constexpr NoiseForTest kNoises[] = {
    {"Normal", [](Random* random) { return random->NextNormal(); }},
    // Student's t with 2 degrees of freedom.
    {"HeavyTailed",
     [](Random* random) {
       const double a = random->NextNormal(), b = random->NextNormal();
       return random->NextNormal() / std::sqrt((a * a + b * b) / 2);
     }},
    // Others can only slow a run down: exponential less its median.
    {"Skewed",
     [](Random* random) {
       return -std::log(1 - random->NextDouble()) - std::log(2.0);
     }},
    // One run of ten is disturbed a lot; the median is moved back to 0.
    {"Spiky",
     [](Random* random) {
       const double calm = random->NextNormal() - 0.1397103;
       return random->NextDouble() < 0.1 ? 10 + 5 * random->NextDouble() : calm;
     }},
};

}  // namespace stint
