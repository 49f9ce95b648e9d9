#pragma once
// The normalization loops, one source for every vector width V.

#include "kernels/norm_f32/norm_f32_table.h"
#include "kernels/simd/math.h"

namespace stint {

template <class V>
STINT_INLINE float RowSum(const float* x, int64_t n) {
  typename V::F a = V::Set1(0);
  typename V::F b = a;
  int64_t i = 0;
  for (; i + 2 * V::kWidth <= n; i += 2 * V::kWidth) {
    a = a + V::Load(x + i);
    b = b + V::Load(x + i + V::kWidth);
  }
  float sum = SumLanes<V>(a + b);
  for (; i < n; ++i) sum += x[i];
  return sum;
}

// Sum of (x - mean)^2.
template <class V>
STINT_INLINE float RowSquares(const float* x, int64_t n, float mean) {
  using F = typename V::F;
  const F shift = V::Set1(mean);
  F sum = V::Set1(0);
  int64_t i = 0;
  for (; i + V::kWidth <= n; i += V::kWidth) {
    const F d = V::Load(x + i) - shift;
    sum = V::Fma(d, d, sum);
  }
  float total = SumLanes<V>(sum);
  for (; i < n; ++i) total += (x[i] - mean) * (x[i] - mean);
  return total;
}

// y = (x - mean) * inv * scale + bias.
template <class V, bool kScale, bool kBias>
STINT_INLINE void NormalizeRow(const RowNormF32Args& args, int64_t row,
                               float mean, float inv) {
  using F = typename V::F;
  const float* x = args.x + row * args.n;
  float* y = args.y + row * args.n;
  const F shift = V::Set1(mean);
  const F factor = V::Set1(inv);
  int64_t i = 0;
  for (; i + V::kWidth <= args.n; i += V::kWidth) {
    F v = (V::Load(x + i) - shift) * factor;
    if (kScale) v = v * V::Load(args.scale + i);
    if (kBias) v = v + V::Load(args.bias + i);
    V::Store(y + i, v);
  }
  for (; i < args.n; ++i) {
    float v = (x[i] - mean) * inv;
    if (kScale) v *= args.scale[i];
    if (kBias) v += args.bias[i];
    y[i] = v;
  }
}

template <class V>
STINT_INLINE void NormalizeRowAny(const RowNormF32Args& args, int64_t row,
                                  float mean, float inv) {
  if (args.scale && args.bias) {
    NormalizeRow<V, true, true>(args, row, mean, inv);
  } else if (args.scale) {
    NormalizeRow<V, true, false>(args, row, mean, inv);
  } else if (args.bias) {
    NormalizeRow<V, false, true>(args, row, mean, inv);
  } else {
    NormalizeRow<V, false, false>(args, row, mean, inv);
  }
}

template <class V, bool kCenter>
void RowNormWith(const RowNormF32Args& args) {
  const float count = static_cast<float>(args.n);
  for (int64_t row = 0; row < args.rows; ++row) {
    const float* x = args.x + row * args.n;
    const float mean = kCenter ? RowSum<V>(x, args.n) / count : 0;
    const float variance = RowSquares<V>(x, args.n, mean) / count;
    const float inv = 1 / __builtin_sqrtf(variance + args.epsilon);
    NormalizeRowAny<V>(args, row, mean, inv);
    if (kCenter && args.mean) args.mean[row] = mean;
    if (args.inv_std) args.inv_std[row] = inv;
  }
}

// Rows of channels, one value each.
template <class V>
void ChannelNormFlat(const ChannelNormF32Args& args) {
  for (int64_t r = args.begin; r < args.end; ++r) {
    for (int64_t c = 0; c < args.channels; c += V::kWidth) {
      const int64_t left = args.channels - c;
      const int64_t lanes = left < V::kWidth ? left : V::kWidth;
      const int64_t at = r * args.channels + c;
      const typename V::F v =
          V::Fma(V::LoadN(args.x + at, lanes), V::LoadN(args.scale + c, lanes),
                 V::LoadN(args.shift + c, lanes));
      V::StoreN(args.y + at, Clamp<V>(v, args.lo, args.hi), lanes);
    }
  }
}

template <class V>
void ChannelNormWith(const ChannelNormF32Args& args) {
  using F = typename V::F;
  if (args.inner == 1) return ChannelNormFlat<V>(args);
  for (int64_t p = args.begin; p < args.end; ++p) {
    const float* x = args.x + p * args.inner;
    float* y = args.y + p * args.inner;
    const F scale = V::Set1(args.scale[p % args.channels]);
    const F shift = V::Set1(args.shift[p % args.channels]);
    int64_t i = 0;
    for (; i + V::kWidth <= args.inner; i += V::kWidth) {
      const F v = V::Fma(V::Load(x + i), scale, shift);
      V::Store(y + i, Clamp<V>(v, args.lo, args.hi));
    }
    if (i < args.inner) {
      const F v = V::Fma(V::LoadN(x + i, args.inner - i), scale, shift);
      V::StoreN(y + i, Clamp<V>(v, args.lo, args.hi), args.inner - i);
    }
  }
}

}  // namespace stint
