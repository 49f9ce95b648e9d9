#pragma once
// The loops of limits.h, one source for every vector width V.

#include <cstdint>

#include "kernels/simd/generic.h"

namespace stint {

// Enough sums to hide the latency of a multiply-add, few enough for registers.
inline constexpr int kLimitSums = 12;

template <class V>
void SpinFma(int64_t steps) {
  using F = typename V::F;
  F sum[kLimitSums];
  for (int i = 0; i < kLimitSums; ++i) sum[i] = V::Set1(0);
  F factor = V::Set1(0.5f);
  for (int64_t s = 0; s < steps; ++s) {
    // The compiler may not know the factor, nor that sums are not used.
    asm volatile("" : "+m"(factor));
#pragma GCC unroll 16
    for (int i = 0; i < kLimitSums; ++i) {
      sum[i] = V::Fma(factor, factor, sum[i]);
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < kLimitSums; ++i) asm volatile("" : : "m"(sum[i]));
}

template <class V>
float ReadFloats(const float* data, int64_t count) {
  using F = typename V::F;
  F sum[8];
  for (int i = 0; i < 8; ++i) sum[i] = V::Set1(0);
  for (int64_t at = 0; at < count; at += 8 * V::kWidth) {
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
      sum[i] = sum[i] + V::Load(data + at + i * V::kWidth);
    }
  }
#pragma GCC unroll 8
  for (int i = 1; i < 8; ++i) sum[0] = sum[0] + sum[i];
  float lanes[V::kWidth];
  V::Store(lanes, sum[0]);
  float total = 0;
  for (float lane : lanes) total += lane;
  return total;
}

}  // namespace stint
