#pragma once
// The depthwise inner loops on narrow images, one source for every vector width
// V. Two numbers in bf16 share a lane: the upper half is an fp32 number once
// the lower is cleared, the lower once it is shifted, so that channels are
// handled in the order of even and odd ones without being moved.

#include <algorithm>
#include <cstring>

#include "kernels/conv_blocked_bf16/tile_part.h"
#include "kernels/simd/bf16.h"
#include "kernels/simd/curves.h"

namespace stint {

template <class V>
struct NarrowLanes {
  using F = typename V::F;
  using U = typename Bf16<V>::U;
  F even;
  F odd;

  static STINT_INLINE NarrowLanes Load(const uint16_t* p) {
    U bits;
    std::memcpy(&bits, p, sizeof(bits));
    return {reinterpret_cast<F>(bits << 16),
            reinterpret_cast<F>(bits & 0xffff0000u)};
  }
  // From floats in the order of channels.
  static STINT_INLINE NarrowLanes Split(const float* p) {
    NarrowLanes lanes;
    float* to[2] = {reinterpret_cast<float*>(&lanes.even),
                    reinterpret_cast<float*>(&lanes.odd)};
    for (int i = 0; i < 2 * V::kWidth; ++i) to[i % 2][i / 2] = p[i];
    return lanes;
  }
  STINT_INLINE void MultiplyAdd(const NarrowLanes& a, const NarrowLanes& b) {
    even = V::Fma(a.even, b.even, even);
    odd = V::Fma(a.odd, b.odd, odd);
  }
  STINT_INLINE void Store(uint16_t* p) const {
    if constexpr (requires { V::NarrowInTurn(even, odd); }) {
      const auto bits = V::NarrowInTurn(even, odd);
      std::memcpy(p, &bits, sizeof(bits));
    } else {
      const U bits = (Bf16<V>::RoundBits(even) >> 16) |
                     (Bf16<V>::RoundBits(odd) & 0xffff0000u);
      std::memcpy(p, &bits, sizeof(bits));
    }
  }
};

// kPixels neighbors of a row. With kKernel and kStride, the width of the window
// and its stride are known and each pixel of x is loaded once for all its taps.
template <class V, int kPixels, int kKernel, int kStride>
struct NarrowDepthwiseTile {
  using F = typename V::F;
  using Lanes = NarrowLanes<V>;
  Lanes acc[kPixels];

  // One row of the window; `x` is column `z` of the image.
  template <bool kInside>
  STINT_INLINE void Row(const ConvF32Shape& s, const uint16_t* x, int64_t z,
                        const uint16_t* w) {
    Lanes taps[kKernel];
#pragma GCC unroll 8
    for (int q = 0; q < kKernel; ++q) {
      taps[q] = Lanes::Load(w + q * kNarrowBlock);
    }
#pragma GCC unroll 32
    for (int c = 0; c < (kPixels - 1) * kStride + kKernel; ++c) {
      if (!kInside && (z + c < 0 || z + c >= s.in_w)) continue;
      const Lanes column = Lanes::Load(x + c * kNarrowBlock);
#pragma GCC unroll 8
      for (int q = 0; q < kKernel; ++q) {
        const int p = c - q;
        if (p >= 0 && p % kStride == 0 && p / kStride < kPixels) {
          acc[p / kStride].MultiplyAdd(column, taps[q]);
        }
      }
    }
  }

  // Any window: tap by tap.
  STINT_INLINE void AnyRow(const ConvF32Shape& s, const uint16_t* x, int64_t z,
                           const uint16_t* w) {
    for (int64_t q = 0; q < s.kernel_w; ++q) {
      const Lanes tap = Lanes::Load(w + q * kNarrowBlock);
      for (int p = 0; p < kPixels; ++p) {
        const int64_t c = p * s.stride_w + q * s.dilation_w;
        if (z + c < 0 || z + c >= s.in_w) continue;
        acc[p].MultiplyAdd(Lanes::Load(x + c * kNarrowBlock), tap);
      }
    }
  }

  STINT_INLINE void Sum(const NarrowDepthwiseRow& row, const Lanes& bias,
                        int64_t pixel, int64_t lane) {
    const ConvF32Shape& s = *row.shape;
#pragma GCC unroll 8
    for (int p = 0; p < kPixels; ++p) acc[p] = bias;
    const int64_t z = pixel * s.stride_w - s.pad_left;
    const bool inside =
        z >= 0 && z + (kPixels - 1) * kStride + kKernel <= s.in_w;
    for (int64_t r = 0; r < s.kernel_h; ++r) {
      const int64_t y = row.row * s.stride_h - s.pad_top + r * s.dilation_h;
      if (y < 0 || y >= s.in_h) continue;
      const uint16_t* x = row.x + (y * s.in_w + z) * kNarrowBlock + lane;
      const uint16_t* w = row.w + r * s.kernel_w * kNarrowBlock + lane;
      if constexpr (kKernel == 0) {
        AnyRow(s, x, z, w);
      } else if (inside) {
        Row<true>(s, x, z, w);
      } else {
        Row<false>(s, x, z, w);
      }
    }
  }

  // The curve is applied in memory: in registers it would spill.
  __attribute__((noinline)) static void ApplyCurve(Curve curve, Lanes* lanes) {
    constexpr int64_t kFloats = sizeof(Lanes) / sizeof(float);
    ApplyCurveRows<V>(
        curve, {reinterpret_cast<float*>(lanes), kFloats, kPixels, kFloats});
  }

  STINT_INLINE void Store(const NarrowDepthwiseRow& row, int64_t pixel,
                          int64_t lane) {
    const F lo = V::Set1(row.act.lo);
    const F hi = V::Set1(row.act.hi);
#pragma GCC unroll 8
    for (int p = 0; p < kPixels; ++p) {
      const int64_t at = (pixel + p) * kNarrowBlock + lane;
      if (row.residual) {
        const Lanes residual = Lanes::Load(row.residual + at);
        acc[p].even = acc[p].even + residual.even;
        acc[p].odd = acc[p].odd + residual.odd;
      }
      acc[p].even = V::Min(hi, V::Max(lo, acc[p].even));
      acc[p].odd = V::Min(hi, V::Max(lo, acc[p].odd));
    }
    uint16_t* y = row.y + pixel * kNarrowBlock + lane;
    if (row.act.curve != Curve::kNone) {
      Lanes curved[kPixels];
      for (int p = 0; p < kPixels; ++p) curved[p] = acc[p];
      ApplyCurve(row.act.curve, curved);
      for (int p = 0; p < kPixels; ++p) curved[p].Store(y + p * kNarrowBlock);
      return;
    }
#pragma GCC unroll 8
    for (int p = 0; p < kPixels; ++p) acc[p].Store(y + p * kNarrowBlock);
  }
};

// The pixels from `pixel` on with tiles of kPixels, then smaller ones.
template <class V, int kPixels, int kKernel, int kStride>
void RunNarrowDepthwiseFrom(const NarrowDepthwiseRow& row,
                            const NarrowLanes<V>& bias, int64_t pixel,
                            int64_t lane) {
  for (; pixel + kPixels <= row.shape->out_w; pixel += kPixels) {
    NarrowDepthwiseTile<V, kPixels, kKernel, kStride> tile;
    tile.Sum(row, bias, pixel, lane);
    tile.Store(row, pixel, lane);
  }
  if constexpr (kPixels > 1) {
    RunNarrowDepthwiseFrom<V, kPixels / 2, kKernel, kStride>(row, bias, pixel,
                                                             lane);
  }
}

template <class V, int kPixels, int kKernel, int kStride>
void RunNarrowDepthwiseLanes(const NarrowDepthwiseRow& row) {
  const float zeros[2 * V::kWidth] = {};
  for (int64_t lane = 0; lane < kNarrowBlock; lane += 2 * V::kWidth) {
    RunNarrowDepthwiseFrom<V, kPixels, kKernel, kStride>(
        row, NarrowLanes<V>::Split(row.bias ? row.bias + lane : zeros), 0,
        lane);
  }
}

// 8 pixels: 16 sums, up to 10 taps and a column fill 28 of 32 registers.
template <class V>
void RunNarrowDepthwiseRow(const NarrowDepthwiseRow& row) {
  const ConvF32Shape& s = *row.shape;
  const bool near = s.dilation_w == 1;
  if (near && s.kernel_w == 3 && s.stride_w == 1) {
    return RunNarrowDepthwiseLanes<V, 8, 3, 1>(row);
  }
  if (near && s.kernel_w == 3 && s.stride_w == 2) {
    return RunNarrowDepthwiseLanes<V, 8, 3, 2>(row);
  }
  if (near && s.kernel_w == 5 && s.stride_w == 1) {
    return RunNarrowDepthwiseLanes<V, 8, 5, 1>(row);
  }
  if (near && s.kernel_w == 5 && s.stride_w == 2) {
    return RunNarrowDepthwiseLanes<V, 8, 5, 2>(row);
  }
  return RunNarrowDepthwiseLanes<V, 4, 0, 1>(row);
}

}  // namespace stint
