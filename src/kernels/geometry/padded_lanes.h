#pragma once
// Keeps the channels past the last of an image zero where an activation would
// turn them into something else.

#include <algorithm>
#include <cstdint>

#include "kernels/simd/curves.h"

namespace stint {

// Channels of the last block to keep; `block` where nothing is to be cleared.
inline int64_t LanesToKeep(int64_t channels, int64_t block,
                           const Activation& act) {
  const int64_t rest = channels % block;
  return rest == 0 || ReferenceActivation(0, act) == 0 ? block : rest;
}

// Clears lanes [keep, block) of `pixels` pixels.
inline void ClearLanes(float* y, int64_t pixels, int64_t block, int64_t keep) {
  for (int64_t p = 0; p < pixels; ++p) {
    std::fill(y + p * block + keep, y + (p + 1) * block, 0.0f);
  }
}

}  // namespace stint
