#pragma once
// The seven loops every convolution kernel is compared with.

#include "kernels/conv_f32/conv_f32.h"
#include "kernels/gemm_f32/reference.h"

namespace stint {

// One output before the activation.
inline double ReferenceConvSum(const ConvF32Args& args, int64_t n, int64_t o,
                               int64_t i, int64_t j) {
  const ConvF32Shape& s = args.shape;
  const int64_t first = o / s.group_out() * s.group_in();
  double sum = args.bias ? args.bias[o] : 0;
  for (int64_t c = 0; c < s.group_in(); ++c) {
    const float* x = args.x + (n * s.in_channels + first + c) * s.in_plane();
    const float* w = args.w + (o * s.group_in() + c) * s.taps();
    for (int64_t r = 0; r < s.kernel_h; ++r) {
      for (int64_t q = 0; q < s.kernel_w; ++q) {
        const int64_t y = i * s.stride_h - s.pad_top + r * s.dilation_h;
        const int64_t z = j * s.stride_w - s.pad_left + q * s.dilation_w;
        if (y < 0 || y >= s.in_h || z < 0 || z >= s.in_w) continue;
        sum += static_cast<double>(x[y * s.in_w + z]) * w[r * s.kernel_w + q];
      }
    }
  }
  return sum;
}

inline void ReferenceConvF32(const ConvF32Args& args) {
  const ConvF32Shape& s = args.shape;
  float* y = args.y;
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t o = 0; o < s.out_channels; ++o) {
      for (int64_t i = 0; i < s.out_h; ++i) {
        for (int64_t j = 0; j < s.out_w; ++j) {
          double sum = ReferenceConvSum(args, n, o, i, j);
          if (args.residual) sum += args.residual[y - args.y];
          *y++ = static_cast<float>(ReferenceActivation(sum, args.act));
        }
      }
    }
  }
}

}  // namespace stint
