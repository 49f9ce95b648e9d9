#pragma once
// The depthwise inner loops, one source for every vector width V.

#include "kernels/conv_f32/depthwise.h"
#include "kernels/simd/curves.h"
#include "kernels/simd/strided.h"

namespace stint {

// One vector of outputs whose first window starts at x. `weights` holds the
// taps in registers when kKernel is known, else they are read from the plane.
template <class V, int kStride, int kKernel>
STINT_INLINE typename V::F DepthwiseWindow(const DepthwisePlane& plane,
                                           const typename V::F* weights,
                                           const float* x) {
  using F = typename V::F;
  const ConvF32Shape& s = *plane.shape;
  const int64_t kernel_h = kKernel ? kKernel : s.kernel_h;
  const int64_t kernel_w = kKernel ? kKernel : s.kernel_w;
  // Two sums shorten the chain of additions.
  F even = V::Set1(plane.bias);
  F odd = V::Set1(0);
#pragma GCC unroll 3
  for (int64_t r = 0; r < kernel_h; ++r) {
    const float* row = x + r * s.dilation_h * plane.pitch;
#pragma GCC unroll 3
    for (int64_t c = 0; c < kernel_w; ++c) {
      const int64_t tap = r * kernel_w + c;
      const F w = kKernel ? weights[kKernel ? tap : 0] : V::Set1(plane.w[tap]);
      const F v = LoadStrided<V, kStride>(row + c * s.dilation_w, s.stride_w);
      if (c & 1) {
        odd = V::Fma(v, w, odd);
      } else {
        even = V::Fma(v, w, even);
      }
    }
  }
  return even + odd;
}

// kStride is that of the width, kKernel the side of a square kernel; 0 where
// known only at run time.
template <class V, int kStride, int kKernel>
void DepthwiseRows(const DepthwisePlane& plane) {
  using F = typename V::F;
  const ConvF32Shape& s = *plane.shape;
  F weights[kKernel ? kKernel * kKernel : 1];
#pragma GCC unroll 16
  for (int t = 0; t < kKernel * kKernel; ++t) weights[t] = V::Set1(plane.w[t]);
  for (int64_t i = 0; i < s.out_h; ++i) {
    const float* x = plane.x + i * s.stride_h * plane.pitch;
    float* y = plane.y + i * s.out_w;
    const float* r = plane.residual ? plane.residual + i * s.out_w : nullptr;
    int64_t j = 0;
    for (; j + V::kWidth <= s.out_w; j += V::kWidth) {
      F v = DepthwiseWindow<V, kStride, kKernel>(plane, weights,
                                                 x + j * s.stride_w);
      if (r) v = v + V::Load(r + j);
      V::Store(y + j, Clamp<V>(v, plane.act.lo, plane.act.hi));
    }
    if (const int64_t n = s.out_w - j; n > 0) {
      F v = DepthwiseWindow<V, kStride, kKernel>(plane, weights,
                                                 x + j * s.stride_w);
      if (r) v = v + V::LoadN(r + j, n);
      V::StoreN(y + j, Clamp<V>(v, plane.act.lo, plane.act.hi), n);
    }
  }
}

template <class V, int kKernel>
void DepthwiseWithKernel(const DepthwisePlane& plane) {
  switch (plane.shape->stride_w) {
    case 1:
      return DepthwiseRows<V, 1, kKernel>(plane);
    case 2:
      return DepthwiseRows<V, 2, kKernel>(plane);
    default:
      return DepthwiseRows<V, 0, kKernel>(plane);
  }
}

template <class V>
void DepthwiseWith(const DepthwisePlane& plane) {
  if (plane.shape->kernel_h == 3 && plane.shape->kernel_w == 3) {
    DepthwiseWithKernel<V, 3>(plane);
  } else {
    DepthwiseWithKernel<V, 0>(plane);
  }
  const ConvF32Shape& s = *plane.shape;
  ApplyCurveRows<V>(plane.act.curve, {plane.y, s.out_w, s.out_h, s.out_w});
}

}  // namespace stint
