#pragma once
// The depthwise inner loops on blocked images, one source for every vector
// width V.

#include <algorithm>

#include "core/base/checked_math.h"
#include "kernels/conv_blocked_f32/depthwise.h"
#include "kernels/simd/curves.h"

namespace stint {

// kKernel is the width of the window, or 0 where known only at run time.
template <class V, int kBlock, int kPixels, int kKernel>
struct DepthwiseTile {
  using F = typename V::F;
  F acc[kPixels];

  // A row of a window of known width and stride, without dilation: a column of
  // x is loaded once for all its taps. `x` is column `z` of the image.
  template <int kStride, bool kInside>
  STINT_INLINE void Row(const float* x, const float* w, int64_t z,
                        int64_t in_w) {
    F taps[kKernel];
#pragma GCC unroll 8
    for (int q = 0; q < kKernel; ++q) taps[q] = V::Load(w + q * kBlock);
#pragma GCC unroll 32
    for (int c = 0; c < (kPixels - 1) * kStride + kKernel; ++c) {
      if (!kInside && (z + c < 0 || z + c >= in_w)) continue;
      const F column = V::Load(x + c * kBlock);
#pragma GCC unroll 8
      for (int q = 0; q < kKernel; ++q) {
        const int p = c - q;
        if (p >= 0 && p % kStride == 0 && p / kStride < kPixels) {
          acc[p / kStride] = V::Fma(column, taps[q], acc[p / kStride]);
        }
      }
    }
  }

  template <int kStride>
  STINT_INLINE void SumRows(const ConvBlockedDepthwiseRow& row, int64_t pixel,
                            int64_t lane) {
    const ConvF32Shape& s = *row.shape;
    const int64_t z = pixel * kStride - s.pad_left;
    const bool inside =
        z >= 0 && z + (kPixels - 1) * kStride + kKernel <= s.in_w;
    for (int64_t r = 0; r < s.kernel_h; ++r) {
      const int64_t y = row.row * s.stride_h - s.pad_top + r * s.dilation_h;
      if (y < 0 || y >= s.in_h) continue;
      const float* x = row.x + (y * s.in_w + z) * kBlock + lane;
      const float* w = row.w + r * kKernel * kBlock + lane;
      if (inside) {
        Row<kStride, true>(x, w, z, s.in_w);
      } else {
        Row<kStride, false>(x, w, z, s.in_w);
      }
    }
  }

  // One tap: pixel p reads x + p * step. `first` and `last` bound the pixels
  // whose column lies in the image.
  STINT_INLINE void Tap(const float* x, int64_t step, F w, int64_t first,
                        int64_t last) {
    if (first <= 0 && last >= kPixels) {
#pragma GCC unroll 16
      for (int p = 0; p < kPixels; ++p) {
        acc[p] = V::Fma(V::Load(x + p * step), w, acc[p]);
      }
    } else {
#pragma GCC unroll 16
      for (int p = 0; p < kPixels; ++p) {
        if (p >= first && p < last) {
          acc[p] = V::Fma(V::Load(x + p * step), w, acc[p]);
        }
      }
    }
  }

  // kStride is that of the width, or 0 where known only at run time.
  template <int kStride>
  STINT_INLINE void Sum(const ConvBlockedDepthwiseRow& row, int64_t pixel,
                        int64_t lane) {
    const ConvF32Shape& s = *row.shape;
    const int64_t stride = kStride ? kStride : s.stride_w;
    const F bias = row.bias ? V::Load(row.bias + lane) : V::Set1(0);
#pragma GCC unroll 16
    for (int p = 0; p < kPixels; ++p) acc[p] = bias;
    if constexpr (kKernel > 0) return SumRows<kStride>(row, pixel, lane);
    for (int64_t r = 0; r < s.kernel_h; ++r) {
      const int64_t y = row.row * s.stride_h - s.pad_top + r * s.dilation_h;
      if (y < 0 || y >= s.in_h) continue;
      for (int64_t q = 0; q < s.kernel_w; ++q) {
        const int64_t z = pixel * stride - s.pad_left + q * s.dilation_w;
        const F w = V::Load(row.w + (r * s.kernel_w + q) * kBlock + lane);
        const float* x = row.x + (y * s.in_w + z) * kBlock + lane;
        // Most windows lie inside; divisions only at the borders.
        const bool inside = z >= 0 && z + (kPixels - 1) * stride < s.in_w;
        const int64_t first = inside || z >= 0 ? 0 : CeilDiv(-z, stride);
        const int64_t last = inside       ? kPixels
                             : z < s.in_w ? CeilDiv(s.in_w - z, stride)
                                          : 0;
        Tap(x, stride * kBlock, w, first, last);
      }
    }
  }

  STINT_INLINE void Store(const ConvBlockedDepthwiseRow& row, int64_t pixel,
                          int64_t lane) {
#pragma GCC unroll 16
    for (int p = 0; p < kPixels; ++p) {
      const int64_t at = (pixel + p) * kBlock + lane;
      F sum = acc[p];
      if (row.residual) sum = sum + V::Load(row.residual + at);
      V::Store(row.y + at, Clamp<V>(sum, row.act.lo, row.act.hi));
    }
  }
};

template <class V, int kBlock, int kPixels, int kKernel, int kStride>
void RunDepthwisePixels(const ConvBlockedDepthwiseRow& row, int64_t pixel) {
  for (int64_t lane = 0; lane < kBlock; lane += V::kWidth) {
    DepthwiseTile<V, kBlock, kPixels, kKernel> tile;
    tile.template Sum<kStride>(row, pixel, lane);
    tile.Store(row, pixel, lane);
  }
}

// The pixels from `pixel` on with tiles of kPixels, then smaller ones.
template <class V, int kBlock, int kPixels, int kKernel, int kStride>
void RunDepthwiseFrom(const ConvBlockedDepthwiseRow& row, int64_t pixel) {
  for (; pixel + kPixels <= row.shape->out_w; pixel += kPixels) {
    RunDepthwisePixels<V, kBlock, kPixels, kKernel, kStride>(row, pixel);
  }
  if constexpr (kPixels > 1) {
    RunDepthwiseFrom<V, kBlock, kPixels / 2, kKernel, kStride>(row, pixel);
  }
}

// Windows of 3 and 5 without dilation and those of two strides have their own
// code; others are rare.
template <class V, int kBlock, int kPixels, int kStride>
void RunDepthwiseOfStride(const ConvBlockedDepthwiseRow& row) {
  const ConvF32Shape& s = *row.shape;
  if constexpr (kStride > 0) {
    if (s.dilation_w == 1 && s.kernel_w == 3) {
      return RunDepthwiseFrom<V, kBlock, kPixels, 3, kStride>(row, 0);
    }
    if (s.dilation_w == 1 && s.kernel_w == 5) {
      return RunDepthwiseFrom<V, kBlock, kPixels, 5, kStride>(row, 0);
    }
  }
  RunDepthwiseFrom<V, kBlock, kPixels, 0, kStride>(row, 0);
}

template <class V, int kBlock, int kPixels>
void RunDepthwiseRow(const ConvBlockedDepthwiseRow& row) {
  switch (row.shape->stride_w) {
    case 1:
      RunDepthwiseOfStride<V, kBlock, kPixels, 1>(row);
      break;
    case 2:
      RunDepthwiseOfStride<V, kBlock, kPixels, 2>(row);
      break;
    default:
      RunDepthwiseOfStride<V, kBlock, kPixels, 0>(row);
      break;
  }
  if (row.act.curve != Curve::kNone) {
    const int64_t floats = row.shape->out_w * kBlock;
    ApplyCurveRows<V>(row.act.curve, {row.y, floats, 1, floats});
  }
}

}  // namespace stint
