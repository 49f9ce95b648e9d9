#pragma once
// The depthwise inner loops, one source for every vector width V.

#include "kernels/conv_f32/depthwise.h"
#include "kernels/simd/math.h"
#include "kernels/simd/strided.h"

namespace stint {

// kStride and kKernel are those of both axes, 0 where known only at run time.
template <class V, int kStride, int kKernel>
void DepthwiseRows(const DepthwisePlane& plane) {
  using F = typename V::F;
  const ConvF32Shape& s = *plane.shape;
  const int64_t stride = kStride ? kStride : s.stride_w;
  const int64_t kernel_h = kKernel ? kKernel : s.kernel_h;
  const int64_t kernel_w = kKernel ? kKernel : s.kernel_w;
  for (int64_t i = 0; i < s.out_h; ++i) {
    const float* top = plane.x + i * s.stride_h * plane.pitch;
    for (int64_t j = 0; j < s.out_w; j += V::kWidth) {
      // One sum per row of the window shortens the chain of additions.
      F even = V::Set1(plane.bias);
      F odd = V::Set1(0);
#pragma GCC unroll 3
      for (int64_t r = 0; r < kernel_h; ++r) {
        const float* x = top + r * s.dilation_h * plane.pitch + j * stride;
        const float* w = plane.w + r * kernel_w;
#pragma GCC unroll 3
        for (int64_t c = 0; c < kernel_w; ++c) {
          F& sum = (c & 1) ? odd : even;
          const F v = LoadStrided<V, kStride>(x + c * s.dilation_w, stride);
          sum = V::Fma(v, V::Set1(w[c]), sum);
        }
      }
      const F y = Clamp<V>(even + odd, plane.act.lo, plane.act.hi);
      float* out = plane.y + i * s.out_w + j;
      const int64_t left = s.out_w - j;
      if (left >= V::kWidth) {
        V::Store(out, y);
      } else {
        V::StoreN(out, y, left);
      }
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
}

}  // namespace stint
