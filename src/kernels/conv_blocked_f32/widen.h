#pragma once
// Narrow weights to fp32, one source for every vector width V. Half is Bf16 of
// kernels/simd or what an ISA has for fp16.

#include "kernels/simd/bf16.h"

namespace stint {

// `count` is a multiple of 8; reads and writes no more than that.
template <class V, class Half = Bf16<V>>
void WidenWeights(const uint16_t* from, int64_t count, float scale, float* to) {
  const auto factor = V::Set1(scale);
  for (int64_t i = 0; i < count; i += V::kWidth) {
    V::Store(to + i, Half::Widen(from + i) * factor);
  }
}

}  // namespace stint
