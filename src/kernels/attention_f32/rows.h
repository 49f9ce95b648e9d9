#pragma once
// Attention of a block of rows, one source for every vector class Z (see
// transpose.h): scores by the GEMM's register tile, their exponentials in
// place, then the product with the values.

#include <algorithm>
#include <limits>

#include "kernels/attention_f32/attention_f32_table.h"
#include "kernels/attention_f32/transpose.h"
#include "kernels/gemm_f32/blocking.h"
#include "kernels/gemm_f32/tile.h"
#include "kernels/simd/math.h"

namespace stint {

// e^x for x <= 0, flushed to 0 below 2^-126: subnormal weights would cost an
// assist each and change no result.
template <class V>
STINT_INLINE typename V::F ExpWeight(typename V::F x) {
  using F = typename V::F;
  using I = typename V::I;
  x = Clamp<V>(x, -88.0f, 0.0f);
  const F magic = V::Set1(12582912.0f);
  const F shifted = V::Fma(x, V::Set1(1.44269504088896341f), magic);
  const F n = shifted - magic;
  F r = V::Fma(n, V::Set1(-0.693359375f), x);
  r = V::Fma(n, V::Set1(2.12194440e-4f), r);
  F p = V::Set1(1.9875691500e-4f);
  p = V::Fma(p, r, V::Set1(1.3981999507e-3f));
  p = V::Fma(p, r, V::Set1(8.3334519073e-3f));
  p = V::Fma(p, r, V::Set1(4.1665795894e-2f));
  p = V::Fma(p, r, V::Set1(1.6666665459e-1f));
  p = V::Fma(p, r, V::Set1(5.0000001201e-1f));
  p = V::Fma(p, r * r, r) + V::Set1(1.0f);
  return p * PowerOfTwo<V>(reinterpret_cast<I>(shifted) -
                           reinterpret_cast<I>(magic));
}

template <class V>
STINT_INLINE typename V::F LoadUpTo(const float* p, int64_t n) {
  return n >= V::kWidth ? V::Load(p) : V::LoadN(p, n);
}

// Panel p of K^T holds keys [p * tile, (p+1) * tile) as [size, tile]; lanes of
// a vector that are no key are zero.
template <class Z, int kVecs>
void PackKeys(const AttentionF32Head& head) {
  constexpr int64_t kWidth = Z::kWidth;
  constexpr int64_t kTile = kVecs * kWidth;
  for (int64_t j = 0; j < head.length; j += kWidth) {
    float* panel = head.keys + j / kTile * kTile * head.size + j % kTile;
    for (int64_t d = 0; d < head.size; d += kWidth) {
      const int64_t dims = head.size - d;
      typename Z::F block[kWidth];
#pragma GCC unroll 16
      for (int64_t i = 0; i < kWidth; ++i) {
        const float* key = head.k + (j + i) * head.ldk + d;
        block[i] = j + i < head.length ? LoadUpTo<Z>(key, dims) : Z::Set1(0);
      }
      TransposeSquare<Z>(block);
#pragma GCC unroll 16
      for (int64_t i = 0; i < kWidth; ++i) {
        if (i < dims) Z::Store(panel + (d + i) * kTile, block[i]);
      }
    }
  }
}

// Columns of a panel of values: equal parts of the head, whole vectors.
template <class Z, int kVecs>
STINT_INLINE int64_t ValueColumns(const AttentionF32Head& head) {
  return EvenBlock(head.size, kVecs * Z::kWidth, Z::kWidth);
}

// Panels of [length, columns], padded with zeros.
template <class Z, int kVecs>
void PackValues(const AttentionF32Head& head) {
  constexpr int64_t kWidth = Z::kWidth;
  const int64_t columns = ValueColumns<Z, kVecs>(head);
  for (int64_t j = 0; j < head.length; ++j) {
    const float* from = head.v + j * head.ldv;
    for (int64_t d = 0; d < head.size; d += kWidth) {
      float* to = head.values + d / columns * columns * head.length +
                  j * columns + d % columns;
      Z::Store(to, LoadUpTo<Z>(from + d, head.size - d));
    }
  }
}

template <class Z, int kVecs>
void PackAttention(const AttentionF32Head& head) {
  PackKeys<Z, kVecs>(head);
  PackValues<Z, kVecs>(head);
}

template <class V, int kRows, int kVecs>
STINT_INLINE void Scores(const AttentionF32Rows& rows) {
  constexpr int64_t kTile = kVecs * V::kWidth;
  const AttentionF32Head& head = rows.head;
  for (int64_t j = 0; j < head.length; j += kTile) {
    GemmF32Block block{.a = rows.q,
                       .lda = rows.ldq,
                       .b = head.keys + j * head.size,
                       .ldb = kTile,
                       .b_next = nullptr,
                       .c = rows.scores + j,
                       .ldc = rows.lds,
                       .m = rows.m,
                       .n = std::min(kTile, head.length - j),
                       .k = head.size,
                       .accumulate = false,
                       .finish = true,
                       .alpha = rows.scale,
                       .bias_m = nullptr,
                       .bias_n = nullptr};
    if (rows.mask != nullptr && rows.ldm == 0) block.bias_n = rows.mask + j;
    if (rows.mask != nullptr && rows.ldm != 0) {
      block.residual = rows.mask + j;
      block.ldr = rows.ldm;
    }
    RunGemmTiles<V, kRows, kVecs>(block);
  }
}

// Replaces n scores by e^(score - max) and returns the sum of these weights.
// Writes up to a whole vector.
template <class V>
STINT_INLINE float Weights(float* x, int64_t n) {
  using F = typename V::F;
  const int64_t end = (n + V::kWidth - 1) / V::kWidth * V::kWidth;
  for (int64_t j = n; j < end; ++j) {
    x[j] = -std::numeric_limits<float>::infinity();
  }
  // Finite even when every score is -infinity.
  F best = V::Set1(std::numeric_limits<float>::lowest());
  for (int64_t j = 0; j < end; j += V::kWidth) {
    best = V::Max(best, V::Load(x + j));
  }
  const F max = V::Set1(MaxLane<V>(best));
  F sum = V::Set1(0);
  for (int64_t j = 0; j < end; j += V::kWidth) {
    const F e = ExpWeight<V>(V::Load(x + j) - max);
    V::Store(x + j, e);
    sum = sum + e;
  }
  return SumLanes<V>(sum);
}

template <class V, int kRows, int kVecs>
STINT_INLINE void WeighValues(const AttentionF32Rows& rows) {
  const AttentionF32Head& head = rows.head;
  const int64_t columns = ValueColumns<V, kVecs>(head);
  for (int64_t d = 0; d < head.size; d += columns) {
    RunGemmTiles<V, kRows, kVecs>({.a = rows.scores,
                                   .lda = rows.lds,
                                   .b = head.values + d * head.length,
                                   .ldb = columns,
                                   .b_next = nullptr,
                                   .c = rows.out + d,
                                   .ldc = rows.ldo,
                                   .m = rows.m,
                                   .n = std::min(columns, head.size - d),
                                   .k = head.length,
                                   .accumulate = false,
                                   .finish = true,
                                   .alpha = 1,
                                   .bias_m = nullptr,
                                   .bias_n = nullptr});
  }
}

template <class V>
STINT_INLINE void ScaleRow(float* x, int64_t n, float factor) {
  const typename V::F f = V::Set1(factor);
  int64_t j = 0;
  for (; j + V::kWidth <= n; j += V::kWidth) {
    V::Store(x + j, V::Load(x + j) * f);
  }
  if (j < n) V::StoreN(x + j, V::LoadN(x + j, n - j) * f, n - j);
}

template <class V, int kRows, int kVecs>
void RunAttention(const AttentionF32Rows& rows) {
  Scores<V, kRows, kVecs>(rows);
  // The sum of a row is kept behind its weights: a row has a vector to spare.
  float* sums = rows.scores + rows.lds - 1;
  for (int64_t i = 0; i < rows.m; ++i) {
    sums[i * rows.lds] =
        Weights<V>(rows.scores + i * rows.lds, rows.head.length);
  }
  WeighValues<V, kRows, kVecs>(rows);
  for (int64_t i = 0; i < rows.m; ++i) {
    const float sum = sums[i * rows.lds];
    ScaleRow<V>(rows.out + i * rows.ldo, rows.head.size, sum > 0 ? 1 / sum : 0);
  }
}

}  // namespace stint
