#pragma once
// The GEMM register tile on bf16 panels (pack_pairs.h), one source for every
// vector width V: weights are widened in registers on their way into the tile
// of gemm_f32. Widening a panel once for all rows, into scratch, is slower up
// to 32 rows and no faster at 128.

#include <cstring>

#include "kernels/gemm_bf16/gemm_bf16_table.h"
#include "kernels/gemm_f32/tile.h"

namespace stint {

// One vector of columns at two steps of k.
template <class V>
struct Bf16Pairs {
  using F = typename V::F;
  using I = typename V::I;
  static STINT_INLINE I Bits(const uint16_t* p) {
    I bits;
    std::memcpy(&bits, p, sizeof(bits));
    return bits;
  }
  static STINT_INLINE F Even(const uint16_t* p) {
    return reinterpret_cast<F>(Bits(p) << 16);
  }
  static STINT_INLINE F Odd(const uint16_t* p) {
    return reinterpret_cast<F>(Bits(p) & static_cast<int32_t>(0xffff0000));
  }
};

// Bytes of B fetched ahead into L1.
inline constexpr int64_t kBf16PrefetchBytes = 2048;

template <class V, int kRows, int kVecs>
struct GemmBf16Tile : GemmTile<V, kRows, kVecs> {
  using Base = GemmTile<V, kRows, kVecs>;
  using F = typename V::F;
  using Pairs = Bf16Pairs<V>;
  static constexpr int kWidth = V::kWidth;

  template <int kOdd>
  STINT_INLINE void Step(const float* a, int64_t lda, const uint16_t* b) {
    F row[kVecs];
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) {
      const uint16_t* at = b + 2 * v * kWidth;
      row[v] = kOdd ? Pairs::Odd(at) : Pairs::Even(at);
    }
#pragma GCC unroll 32
    for (int i = 0; i < kRows; ++i) {
      const F x = V::Set1(a[i * lda + kOdd]);
#pragma GCC unroll 8
      for (int v = 0; v < kVecs; ++v) {
        Base::acc[i][v] = V::Fma(x, row[v], Base::acc[i][v]);
      }
    }
  }

  // With kFar, a cache line of `far` is fetched into L2 at each pair of steps.
  template <bool kFar>
  STINT_INLINE void Multiply(const GemmBf16Block& block, const float* a,
                             const uint16_t* far) {
#pragma GCC unroll 32
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
      for (int v = 0; v < kVecs; ++v) Base::acc[i][v] = V::Set1(0);
    }
    const int64_t lda = block.f32.lda;
    const int64_t k = block.f32.k;
    const uint16_t* b = block.b;
    int64_t p = 0;
    for (; p + 2 <= k; p += 2, b += 2 * block.f32.ldb, far += 32) {
      if (kFar) __builtin_prefetch(far, 0, 2);
#pragma GCC unroll 8
      for (int at = 0; at < kVecs * kWidth * 4; at += 64) {
        __builtin_prefetch(b + (kBf16PrefetchBytes + at) / 2);
      }
      Step<0>(a + p, lda, b);
      Step<1>(a + p, lda, b);
    }
    if (p < k) Step<0>(a + p, lda, b);
  }
};

template <class V, int kRows, int kVecs>
__attribute__((noinline)) void RunGemmBf16Tile(const GemmBf16Block& block,
                                               int64_t row) {
  GemmBf16Tile<V, kRows, kVecs> tile;
  const float* a = block.f32.a + row * block.f32.lda;
  // Each tile fetches k / 2 lines, the first few the whole next panel.
  const int64_t at = row / kRows * block.f32.k * 32;
  if (block.b_next && at < block.f32.k * block.f32.ldb * 2) {
    tile.template Multiply<true>(block, a, block.b_next + at / 2);
  } else {
    tile.template Multiply<false>(block, a, block.b);
  }
  tile.Store(block.f32, row);
}

// The rows that are left, fewer than kRows + 1.
template <class V, int kRows, int kVecs>
void RunGemmBf16Tail(const GemmBf16Block& block, int64_t row) {
  if constexpr (kRows > 0) {
    if (block.f32.m - row == kRows) {
      RunGemmBf16Tile<V, kRows, kVecs>(block, row);
    } else {
      RunGemmBf16Tail<V, kRows - 1, kVecs>(block, row);
    }
  }
}

// All rows of the block with tiles of kVecs vectors, or fewer when the panel
// is narrower.
template <class V, int kRows, int kVecs>
void RunGemmBf16Tiles(const GemmBf16Block& block) {
  if constexpr (kVecs > 1) {
    if (block.f32.n <= (kVecs - 1) * V::kWidth) {
      return RunGemmBf16Tiles<V, kRows, kVecs - 1>(block);
    }
  }
  int64_t row = 0;
  for (; row + kRows <= block.f32.m; row += kRows) {
    RunGemmBf16Tile<V, kRows, kVecs>(block, row);
  }
  RunGemmBf16Tail<V, kRows - 1, kVecs>(block, row);
}

template <class V, int kRows, int kVecs>
void RunGemmBf16(const GemmBf16Block& block) {
  GemmBf16Block run = block;
  run.f32.ldb = kVecs * V::kWidth;
  RunGemmBf16Tiles<V, kRows, kVecs>(run);
  if (block.f32.finish && block.f32.act.curve != Curve::kNone) {
    ApplyCurveRows<V>(block.f32.act.curve,
                      {block.f32.c, block.f32.ldc, block.f32.m, block.f32.n});
  }
}

}  // namespace stint
