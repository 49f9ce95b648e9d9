#pragma once
// Attention of a block of rows, one source for every vector class Z (see
// transpose.h): scores by the GEMM's register tile, their exponentials in
// place, then the product with the values.

#include <algorithm>
#include <limits>

#include "kernels/attention_f32/attention_f32_table.h"
#include "kernels/attention_f32/transpose.h"
#include "kernels/gemm_f32/tile.h"
#include "kernels/geometry/blocking.h"
#include "kernels/simd/math.h"

namespace stint {

// e^x for x <= 0. Relative error (measured): 1e-7 down to -16 and 3e-7 below;
// without FMA 6e-7 and 4e-6, on weights that small. Degree 6, fitted at
// Chebyshev nodes.
template <class V>
STINT_INLINE typename V::F ExpWeight(typename V::F x) {
  constexpr float kSeries[] = {1.0f,
                               1.0f,
                               5.000000000e-01f,
                               1.666657627e-01f,
                               4.166646302e-02f,
                               8.363235742e-03f,
                               1.393373357e-03f};
  return ExpBelowZero<V>(kSeries, x);
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
  const int64_t columns = ValueColumns<Z, kVecs>(head);
  float* to = head.values;
  for (int64_t first = 0; first < head.size; first += columns) {
    for (int64_t j = 0; j < head.length; ++j, to += columns) {
      const float* from = head.v + j * head.ldv + first;
      const int64_t count = std::min(columns, head.size - first);
      for (int64_t d = 0; d < count; d += Z::kWidth) {
        Z::Store(to + d, LoadUpTo<Z>(from + d, count - d));
      }
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

// The largest of `end` scores, finite even when all of them are -infinity.
template <class V>
STINT_INLINE float LargestScore(const float* x, int64_t end) {
  typename V::F best = V::Set1(std::numeric_limits<float>::lowest());
  for (int64_t j = 0; j < end; j += V::kWidth) {
    best = V::Max(best, V::Load(x + j));
  }
  return MaxLane<V>(best);
}

// Replaces scores by e^(score - max) and returns the sum of these weights.
template <class V>
STINT_INLINE float TakeWeights(float* x, int64_t end, float max) {
  using F = typename V::F;
  F sum = V::Set1(0);
  for (int64_t j = 0; j < end; j += V::kWidth) {
    const F e = ExpWeight<V>(V::Load(x + j) - V::Set1(max));
    V::Store(x + j, e);
    sum = sum + e;
  }
  return SumLanes<V>(sum);
}

// Scores become weights; the last float of each row, which has a vector to
// spare, their sum. Two loops: sums across lanes of one row then overlap with
// the next.
template <class V>
__attribute__((noinline)) void Weigh(const AttentionF32Rows& rows) {
  const int64_t n = rows.head.length;
  const int64_t end = (n + V::kWidth - 1) / V::kWidth * V::kWidth;
  const int64_t last = rows.lds - 1;
  for (int64_t i = 0; i < rows.m; ++i) {
    float* x = rows.scores + i * rows.lds;
    std::fill(x + n, x + end, -std::numeric_limits<float>::infinity());
    x[last] = LargestScore<V>(x, end);
  }
  for (int64_t i = 0; i < rows.m; ++i) {
    float* x = rows.scores + i * rows.lds;
    x[last] = TakeWeights<V>(x, end, x[last]);
  }
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
  Weigh<V>(rows);
  WeighValues<V, kRows, kVecs>(rows);
  for (int64_t i = 0; i < rows.m; ++i) {
    const float sum = rows.scores[(i + 1) * rows.lds - 1];
    ScaleRow<V>(rows.out + i * rows.ldo, rows.head.size, sum > 0 ? 1 / sum : 0);
  }
}

}  // namespace stint
