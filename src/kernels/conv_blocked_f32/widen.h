#pragma once
// Narrow weights to fp32, one source for every vector width V. Half is Bf16 of
// kernels/simd or what an ISA has for fp16, which is scaled.

#include "kernels/simd/bf16.h"

namespace stint {

// `count` is a multiple of 8; reads and writes no more than that.
template <class V, class Half>
void WidenScaled(const uint16_t* from, int64_t count, float scale, float* to) {
  const auto factor = V::Set1(scale);
#pragma GCC unroll 4
  for (int64_t i = 0; i < count; i += V::kWidth) {
    V::Store(to + i, Half::Widen(from + i) * factor);
  }
}

template <class V>
void WidenBf16(const uint16_t* from, int64_t count, float, float* to) {
#pragma GCC unroll 4
  for (int64_t i = 0; i < count; i += V::kWidth) {
    V::Store(to + i, Bf16<V>::Widen(from + i));
  }
}

}  // namespace stint
