#pragma once
// The GEMM register tile, one source for every vector width V: kRows rows by
// kVecs vectors of C stay in registers while k runs.

#include "kernels/gemm_f32/dot.h"
#include "kernels/gemm_f32/gemm_f32_table.h"
#include "kernels/simd/curves.h"

namespace stint {

// Floats of B fetched ahead: 16 rows of 48 cover the latency of L2. A constant,
// because an address more in the loop would not fit the registers (3 % more
// time on Sapphire Rapids).
inline constexpr int64_t kGemmPrefetchFloats = 16 * 48;

// Sums of `lanes` columns from `col` of a row of the block, through to C but
// for the curve.
template <class V>
STINT_INLINE void StoreGemmVector(const GemmF32Block& block, int64_t row,
                                  int64_t col, int64_t lanes, typename V::F x) {
  const auto load = [&](const float* p) STINT_LAMBDA {
    return lanes == V::kWidth ? V::Load(p) : V::LoadN(p, lanes);
  };
  float* c = block.c + row * block.ldc + col;
  if (block.accumulate) x = x + load(c);
  if (block.finish) {
    x = x * V::Set1(block.alpha);
    if (block.bias_m) x = x + V::Set1(block.bias_m[row]);
    if (block.bias_n) x = x + load(block.bias_n + col);
    if (block.residual) x = x + load(block.residual + row * block.ldr + col);
    x = Clamp<V>(x, block.act.lo, block.act.hi);
  }
  if (lanes == V::kWidth) {
    V::Store(c, x);
  } else {
    V::StoreN(c, x, lanes);
  }
}

template <class V, int kRows, int kVecs>
struct GemmTile {
  using F = typename V::F;
  static constexpr int kWidth = V::kWidth;
  F acc[kRows][kVecs];

  // With kFar, a cache line of `far` is fetched into L2 at each step of k.
  template <bool kFar>
  STINT_INLINE void Multiply(const GemmF32Block& block, const float* a,
                             const float* far) {
#pragma GCC unroll 32
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
      for (int v = 0; v < kVecs; ++v) acc[i][v] = V::Set1(0);
    }
    const float* b = block.b;
    for (int64_t p = 0; p < block.k; ++p, b += block.ldb, far += 16) {
      F row[kVecs];
      if (kFar) __builtin_prefetch(far, 0, 2);
#pragma GCC unroll 8
      for (int v = 0; v < kVecs; ++v) {
        row[v] = V::Load(b + v * kWidth);
        __builtin_prefetch(b + kGemmPrefetchFloats + v * kWidth);
      }
#pragma GCC unroll 32
      for (int i = 0; i < kRows; ++i) {
        const F x = V::Set1(a[i * block.lda + p]);
#pragma GCC unroll 8
        for (int v = 0; v < kVecs; ++v)
          acc[i][v] = V::Fma(x, row[v], acc[i][v]);
      }
    }
  }

  // Lanes of vector v that belong to C.
  static STINT_INLINE int64_t Lanes(const GemmF32Block& block, int v) {
    return v + 1 < kVecs ? kWidth : block.n - v * kWidth;
  }

  STINT_INLINE void Store(const GemmF32Block& block, int64_t first_row) {
#pragma GCC unroll 32
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
      for (int v = 0; v < kVecs; ++v) {
        StoreGemmVector<V>(block, first_row + i, v * kWidth, Lanes(block, v),
                           acc[i][v]);
      }
    }
  }
};

// The lines of the next panel that the index-th tile fetches; null when those
// before it have fetched them all.
STINT_INLINE const float* FarLines(const GemmF32Block& block, int64_t index) {
  const int64_t at = index * block.k * 16;
  if (block.b_next == nullptr || at >= block.k * block.ldb) return nullptr;
  return block.b_next + at;
}

template <class V, int kRows, int kVecs>
__attribute__((noinline)) void RunGemmTile(const GemmF32Block& block,
                                           int64_t row) {
  GemmTile<V, kRows, kVecs> tile;
  const float* a = block.a + row * block.lda;
  const float* far = FarLines(block, row / kRows);
  if (far != nullptr) {
    tile.template Multiply<true>(block, a, far);
  } else {
    tile.template Multiply<false>(block, a, a);
  }
  tile.Store(block, row);
}

// The rows that are left, fewer than kRows + 1.
template <class V, int kRows, int kVecs>
void RunGemmTail(const GemmF32Block& block, int64_t row) {
  if constexpr (kRows > 0) {
    if (block.m - row == kRows) {
      RunGemmTile<V, kRows, kVecs>(block, row);
    } else {
      RunGemmTail<V, kRows - 1, kVecs>(block, row);
    }
  }
}

// All rows of the block with tiles of kVecs vectors, or fewer when the panel
// is narrower.
template <class V, int kRows, int kVecs>
void RunGemmTiles(const GemmF32Block& block) {
  if constexpr (kVecs > 1) {
    if (block.n <= (kVecs - 1) * V::kWidth) {
      return RunGemmTiles<V, kRows, kVecs - 1>(block);
    }
  }
  int64_t row = 0;
  for (; row + kRows <= block.m; row += kRows) {
    RunGemmTile<V, kRows, kVecs>(block, row);
  }
  RunGemmTail<V, kRows - 1, kVecs>(block, row);
}

template <class V, int kRows, int kVecs>
void RunGemmBlock(const GemmF32Block& block) {
  // With few steps the sums across lanes outweigh the products.
  if (block.n <= kGemmDotColumns<V> && block.k >= 4 * V::kWidth) {
    RunGemmDotAny<V, kGemmDotColumns<V>>(block);
  } else {
    RunGemmTiles<V, kRows, kVecs>(block);
  }
  if (block.finish && block.act.curve != Curve::kNone) {
    ApplyCurveRows<V>(block.act.curve, {block.c, block.ldc, block.m, block.n});
  }
}

}  // namespace stint
