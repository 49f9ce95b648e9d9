#pragma once
// Loads at a stride, for windows that move more than one column.

#include <cstdint>

#include "kernels/simd/generic.h"

namespace stint {

// Lanes p[0], p[s], p[2s], ...; kStride is s, or 0 for `stride` at run time.
template <class V, int kStride>
STINT_INLINE typename V::F LoadStrided(const float* p, int64_t stride) {
  if constexpr (kStride == 1) {
    return V::Load(p);
  } else if constexpr (kStride == 2) {
    return V::LoadEven(p);
  } else {
    float lanes[V::kWidth];
    for (int i = 0; i < V::kWidth; ++i) lanes[i] = p[i * stride];
    return V::Load(lanes);
  }
}

}  // namespace stint
