#pragma once
// A square block in registers, transposed by rounds of interleaving: one source
// for every vector class Z, which adds to those of kernels/simd
// ZipLow(a, b) = a0 b0 a1 b1 ... of the lower halves, and ZipHigh of the upper.

#include <cstdint>

#include "kernels/simd/generic.h"

namespace stint {

struct GenericZip : Generic {
  static STINT_INLINE F ZipLow(F a, F b) { return F{a[0], b[0], a[1], b[1]}; }
  static STINT_INLINE F ZipHigh(F a, F b) { return F{a[2], b[2], a[3], b[3]}; }
};

template <class Z>
STINT_INLINE void TransposeSquare(typename Z::F (&rows)[Z::kWidth]) {
  using F = typename Z::F;
  constexpr int kWidth = Z::kWidth;
#pragma GCC unroll 4
  for (int round = 1; round < kWidth; round *= 2) {
    F next[kWidth];
#pragma GCC unroll 8
    for (int i = 0; i < kWidth / 2; ++i) {
      next[2 * i] = Z::ZipLow(rows[i], rows[i + kWidth / 2]);
      next[2 * i + 1] = Z::ZipHigh(rows[i], rows[i + kWidth / 2]);
    }
#pragma GCC unroll 16
    for (int i = 0; i < kWidth; ++i) rows[i] = next[i];
  }
}

}  // namespace stint
