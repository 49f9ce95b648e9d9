#pragma once
// The GEMM of a panel with very few columns, vectorized along k: a tile would
// waste all but those columns of its vectors (7x7 images leave one over).

#include "kernels/gemm_f32/gemm_f32_table.h"
#include "kernels/simd/math.h"

namespace stint {

// Columns up to which dot products win: their work is columns / width of a
// tile's, but they load an operand per multiplication.
template <class V>
inline constexpr int kGemmDotColumns = V::kWidth / 4;

// Steps of k whose columns are transposed at a time: 4 x 2 KB stay in L1.
inline constexpr int64_t kGemmDotSteps = 512;

template <class V, int kCols>
struct GemmDot {
  using F = typename V::F;
  static constexpr int64_t kWidth = V::kWidth;
  float columns[kCols][kGemmDotSteps];

  // Steps [begin, begin + count) of B, padded with zeros to whole vectors.
  STINT_INLINE void Transpose(const GemmF32Block& block, int64_t begin,
                              int64_t count) {
    const float* b = block.b + begin * block.ldb;
    for (int64_t p = 0; p < count; ++p, b += block.ldb) {
      for (int j = 0; j < kCols; ++j) columns[j][p] = b[j];
    }
    for (int64_t p = count; p % kWidth != 0; ++p) {
      for (int j = 0; j < kCols; ++j) columns[j][p] = 0;
    }
  }

  // Adds kRows rows of A from `a` times the columns to C.
  template <int kRows>
  STINT_INLINE void Rows(const GemmF32Block& block, const float* a,
                         int64_t count, float* c) const {
    F acc[kRows][kCols];
    for (auto& row : acc) {
      for (F& sum : row) sum = V::Set1(0);
    }
    for (int64_t p = 0; p < count; p += kWidth) {
      const int64_t left = count - p;
#pragma GCC unroll 4
      for (int i = 0; i < kRows; ++i) {
        const float* at = a + i * block.lda + p;
        const F x = left < kWidth ? V::LoadN(at, left) : V::Load(at);
#pragma GCC unroll 4
        for (int j = 0; j < kCols; ++j) {
          acc[i][j] = V::Fma(x, V::Load(columns[j] + p), acc[i][j]);
        }
      }
    }
#pragma GCC unroll 4
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < kCols; ++j) {
        c[i * block.ldc + j] += SumLanes<V>(acc[i][j]);
      }
    }
  }
};

template <int kCols>
STINT_INLINE void FinishGemmDot(const GemmF32Block& block) {
  for (int64_t i = 0; i < block.m; ++i) {
    for (int j = 0; j < kCols; ++j) {
      float& c = block.c[i * block.ldc + j];
      c *= block.alpha;
      if (block.bias_m) c += block.bias_m[i];
      if (block.bias_n) c += block.bias_n[j];
      if (block.residual) c += block.residual[i * block.ldr + j];
      if (c < block.act.lo) c = block.act.lo;
      if (c > block.act.hi) c = block.act.hi;
    }
  }
}

template <class V, int kCols>
__attribute__((noinline)) void RunGemmDot(const GemmF32Block& block) {
  // At most 8 sums and the columns fit the registers of every ISA.
  constexpr int kRows = kCols <= 2 ? 4 : 2;
  if (!block.accumulate) {
    for (int64_t i = 0; i < block.m; ++i) {
      for (int j = 0; j < kCols; ++j) block.c[i * block.ldc + j] = 0;
    }
  }
  GemmDot<V, kCols> dot;
  for (int64_t p = 0; p < block.k; p += kGemmDotSteps) {
    const int64_t left = block.k - p;
    const int64_t count = left < kGemmDotSteps ? left : kGemmDotSteps;
    dot.Transpose(block, p, count);
    const float* a = block.a + p;
    int64_t i = 0;
    for (; i + kRows <= block.m; i += kRows) {
      dot.template Rows<kRows>(block, a + i * block.lda, count,
                               block.c + i * block.ldc);
    }
    for (; i < block.m; ++i) {
      dot.template Rows<1>(block, a + i * block.lda, count,
                           block.c + i * block.ldc);
    }
  }
  if (block.finish) FinishGemmDot<kCols>(block);
}

// kCols is at least block.n.
template <class V, int kCols>
STINT_INLINE void RunGemmDotAny(const GemmF32Block& block) {
  if constexpr (kCols > 1) {
    if (block.n < kCols) return RunGemmDotAny<V, kCols - 1>(block);
  }
  RunGemmDot<V, kCols>(block);
}

}  // namespace stint
