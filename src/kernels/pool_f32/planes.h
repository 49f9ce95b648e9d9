#pragma once
// The pooling loops, one source for every vector width V.

#include "kernels/pool_f32/pool_f32_table.h"
#include "kernels/simd/math.h"
#include "kernels/simd/strided.h"

namespace stint {

// One vector of outputs whose first window starts at x.
template <class V, int kStride, bool kMax>
STINT_INLINE typename V::F PoolWindow(const PaddedPlane& plane,
                                      const float* x) {
  typename V::F best = V::Set1(kMax ? -__builtin_inff() : 0.0f);
  for (int64_t r = 0; r < plane.h.kernel; ++r) {
    for (int64_t c = 0; c < plane.w.kernel; ++c) {
      const typename V::F v = LoadStrided<V, kStride>(
          x + r * plane.h.dilation * plane.pitch + c * plane.w.dilation,
          plane.w.stride);
      best = kMax ? V::Max(best, v) : best + v;
    }
  }
  return best;
}

template <class V, int kStride, bool kMax>
void PoolRows(const PoolPlane& pool) {
  using F = typename V::F;
  const PaddedPlane& plane = *pool.plane;
  for (int64_t i = 0; i < plane.h.out; ++i) {
    const float* x = pool.x + i * plane.h.stride * plane.pitch;
    float* y = pool.y + i * plane.w.out;
    for (int64_t j = 0; j < plane.w.out; j += V::kWidth) {
      const int64_t left = plane.w.out - j;
      const int64_t lanes = left < V::kWidth ? left : V::kWidth;
      F v = PoolWindow<V, kStride, kMax>(plane, x + j * plane.w.stride);
      if (!kMax) {
        v = v / (V::Set1(pool.count_h[i]) * V::LoadN(pool.count_w + j, lanes));
      }
      V::StoreN(y + j, v, lanes);
    }
  }
}

template <class V, bool kMax>
void PoolPlaneWith(const PoolPlane& pool) {
  switch (pool.plane->w.stride) {
    case 1:
      return PoolRows<V, 1, kMax>(pool);
    case 2:
      return PoolRows<V, 2, kMax>(pool);
    default:
      return PoolRows<V, 0, kMax>(pool);
  }
}

template <class V>
float SumWith(const float* x, int64_t n) {
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

}  // namespace stint
