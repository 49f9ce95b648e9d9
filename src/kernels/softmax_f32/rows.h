#pragma once
// The softmax loops, one source for every vector width V: along contiguous rows
// when inner is 1, else lanes are neighboring columns.

#include "kernels/simd/math.h"
#include "kernels/softmax_f32/softmax_f32_table.h"

namespace stint {

template <class V>
struct SoftmaxRow {
  using F = typename V::F;
  const float* x;
  float* y;
  int64_t n;

  // A NaN may be missed here; it reaches every output through the sum.
  STINT_INLINE float Max() const {
    F best = V::Set1(x[0]);
    int64_t i = 0;
    for (; i + V::kWidth <= n; i += V::kWidth) {
      best = V::Max(best, V::Load(x + i));
    }
    float max = MaxLane<V>(best);
    for (; i < n; ++i) {
      if (x[i] > max) max = x[i];
    }
    return max;
  }

  // Sum of e^(x - max); stores the terms in y when asked.
  template <bool kStore>
  STINT_INLINE float SumExp(float max) const {
    const F shift = V::Set1(max);
    F sum = V::Set1(0);
    int64_t i = 0;
    for (; i + V::kWidth <= n; i += V::kWidth) {
      const F e = Exp<V>(V::Load(x + i) - shift);
      if (kStore) V::Store(y + i, e);
      sum = sum + e;
    }
    float tail_sum = 0;
    if (i < n) {
      const F e = Exp<V>(V::LoadN(x + i, n - i) - shift);
      float lanes[V::kWidth];
      V::Store(lanes, e);
      for (int64_t l = 0; l < n - i; ++l) {
        tail_sum += lanes[l];
        if (kStore) y[i + l] = lanes[l];
      }
    }
    return SumLanes<V>(sum) + tail_sum;
  }

  STINT_INLINE void Scale(float factor) const {
    const F f = V::Set1(factor);
    int64_t i = 0;
    for (; i + V::kWidth <= n; i += V::kWidth) {
      V::Store(y + i, V::Load(y + i) * f);
    }
    for (; i < n; ++i) y[i] *= factor;
  }

  // y = x - max - log_sum, in this order: their sum would be rounded coarser.
  STINT_INLINE void Shift(float max, float log_sum) const {
    const F a = V::Set1(max);
    const F b = V::Set1(log_sum);
    int64_t i = 0;
    for (; i + V::kWidth <= n; i += V::kWidth) {
      V::Store(y + i, V::Load(x + i) - a - b);
    }
    for (; i < n; ++i) y[i] = x[i] - max - log_sum;
  }
};

template <class V>
void SoftmaxRows(const SoftmaxF32Args& args) {
  for (int64_t r = 0; r < args.outer; ++r) {
    const SoftmaxRow<V> row{args.x + r * args.n, args.y + r * args.n, args.n};
    const float max = row.Max();
    if (args.log) {
      const float sum = row.template SumExp<false>(max);
      row.Shift(max, __builtin_logf(sum));
    } else {
      const float sum = row.template SumExp<true>(max);
      row.Scale(1 / sum);
    }
  }
}

// Columns [0, lanes) of one [n, inner] slab.
template <class V>
STINT_INLINE void SoftmaxColumns(const SoftmaxF32Args& args, const float* x,
                                 float* y, int64_t lanes) {
  using F = typename V::F;
  const int64_t end = args.n * args.inner;
  F max = V::LoadN(x, lanes);
  for (int64_t i = args.inner; i < end; i += args.inner) {
    max = V::Max(max, V::LoadN(x + i, lanes));
  }
  F sum = V::Set1(0);
  for (int64_t i = 0; i < end; i += args.inner) {
    sum = sum + Exp<V>(V::LoadN(x + i, lanes) - max);
  }
  float logs[V::kWidth];
  V::Store(logs, sum);
  for (float& value : logs) value = __builtin_logf(value);
  const F log_sum = V::Load(logs);
  for (int64_t i = 0; i < end; i += args.inner) {
    const F t = V::LoadN(x + i, lanes) - max;
    V::StoreN(y + i, args.log ? t - log_sum : Exp<V>(t) / sum, lanes);
  }
}

template <class V>
void SoftmaxWith(const SoftmaxF32Args& args) {
  if (args.inner == 1) return SoftmaxRows<V>(args);
  for (int64_t o = 0; o < args.outer; ++o) {
    for (int64_t j = 0; j < args.inner; j += V::kWidth) {
      const int64_t first = o * args.n * args.inner + j;
      const int64_t left = args.inner - j;
      SoftmaxColumns<V>(args, args.x + first, args.y + first,
                        left < V::kWidth ? left : V::kWidth);
    }
  }
}

}  // namespace stint
