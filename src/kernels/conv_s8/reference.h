#pragma once
// Byte convolution as its contract states it, one result at a time. Packed
// weights are the weights, then bias and multipliers.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/checked_math.h"
#include "kernels/conv_s8/conv_s8_table.h"
#include "kernels/simd/curves.h"

namespace stint {

inline bool ReferenceConvS8Supports(const ConvF32Shape&) { return true; }

inline int64_t ReferenceConvS8WeightBytes(const ConvF32Shape& s) {
  return RoundUp(s.out_channels * s.group_in() * s.taps(), 64);
}

inline int64_t ReferenceConvS8PackedBytes(const ConvS8Kernel&,
                                          const ConvF32Shape& s, int64_t) {
  return ReferenceConvS8WeightBytes(s) + s.out_channels * 8;
}

inline void ReferenceConvS8Pack(const ConvS8Kernel&, const ConvF32Shape& s,
                                const ConvS8Weights& weights, int8_t* packed) {
  const size_t four = static_cast<size_t>(s.out_channels) * 4;
  std::memcpy(packed, weights.w,
              static_cast<size_t>(s.out_channels * s.group_in() * s.taps()));
  packed += ReferenceConvS8WeightBytes(s);
  std::memcpy(packed, weights.bias, four);
  std::memcpy(packed + four, weights.multiplier, four);
}

inline int64_t ReferenceConvS8ScratchBytes(const ConvS8Kernel&,
                                           const ConvF32Shape&, int64_t, int) {
  return 0;
}

// The sum for output channel o at pixel (i, j) of picture n, without bias.
inline int32_t ReferenceConvS8Sum(const ConvS8Args& args, int64_t n, int64_t o,
                                  int64_t i, int64_t j) {
  const ConvF32Shape& s = args.shape;
  const int64_t first = o / s.group_out() * s.group_in();
  const int8_t* w = args.w + o * s.group_in() * s.taps();
  int32_t sum = 0;
  for (int64_t c = 0; c < s.group_in(); ++c) {
    for (int64_t r = 0; r < s.kernel_h; ++r) {
      for (int64_t q = 0; q < s.kernel_w; ++q) {
        const int64_t y = i * s.stride_h - s.pad_top + r * s.dilation_h;
        const int64_t x = j * s.stride_w - s.pad_left + q * s.dilation_w;
        const bool inside = y >= 0 && y < s.in_h && x >= 0 && x < s.in_w;
        const int64_t at =
            ((n * s.in_h + y) * s.in_w + x) * args.x_pixel + first + c;
        const int byte = inside ? args.x[at] : args.x_zero;
        sum += byte * w[(c * s.kernel_h + r) * s.kernel_w + q];
      }
    }
  }
  return sum;
}

inline uint8_t ReferenceConvS8Byte(const ConvS8Output& out, float t) {
  if (out.act.curve != Curve::kNone) {
    t = static_cast<float>(ReferenceActivation(t, out.act)) * out.inverse;
  }
  const float q = std::nearbyint(t) + static_cast<float>(out.zero);
  return static_cast<uint8_t>(
      std::clamp(q, static_cast<float>(out.lo), static_cast<float>(out.hi)));
}

inline void ReferenceConvS8(const ConvS8Kernel&, const ConvS8Args& args,
                            ThreadPool*) {
  const ConvF32Shape& s = args.shape;
  const int8_t* scales = args.w + ReferenceConvS8WeightBytes(s);
  const auto* bias = reinterpret_cast<const int32_t*>(scales);
  const auto* multiplier =
      reinterpret_cast<const float*>(scales) + s.out_channels;
  for (int64_t p = 0; p < s.batch * s.out_plane(); ++p) {
    const int64_t n = p / s.out_plane();
    const int64_t i = p % s.out_plane() / s.out_w;
    for (int64_t o = 0; o < s.out_channels; ++o) {
      const int64_t at = p * args.y_pixel + o;
      const int32_t sum =
          bias[o] + ReferenceConvS8Sum(args, n, o, i, p % s.out_w);
      volatile float product = static_cast<float>(sum) * multiplier[o];
      float t = product;
      if (args.residual) {
        volatile float part =
            static_cast<float>(args.residual[at] - args.out.r_zero) *
            args.out.r_scale;
        t = t + part;
      }
      t = std::max(t, t * args.out.leak);
      args.y[at] = ReferenceConvS8Byte(args.out, t);
    }
  }
}

}  // namespace stint
