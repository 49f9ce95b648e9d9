#pragma once
// The loops of conv_f32/reference.h on blocked images.

#include <algorithm>
#include <vector>

#include "kernels/conv_blocked_f32/conv_blocked_f32.h"
#include "kernels/conv_f32/reference.h"

namespace stint {

// Input channel c of image n at (y, z), 0 outside.
inline double ReferenceBlockedAt(const ConvBlockedF32Args& args, int64_t block,
                                 int64_t image, int64_t c, int64_t y,
                                 int64_t z) {
  const ConvF32Shape& s = args.shape;
  if (y < 0 || y >= s.in_h || z < 0 || z >= s.in_w) return 0;
  const int64_t plane = image * CeilDiv(s.in_channels, block) + c / block;
  return args.x[((plane * s.in_h + y) * s.in_w + z) * block + c % block];
}

// `w` is not packed: [out_channels, group_in, kernel_h, kernel_w].
inline double ReferenceBlockedSum(const ConvBlockedF32Args& args, int64_t block,
                                  int64_t n, int64_t o, int64_t pixel) {
  const ConvF32Shape& s = args.shape;
  const int64_t y = pixel / s.out_w * s.stride_h - s.pad_top;
  const int64_t z = pixel % s.out_w * s.stride_w - s.pad_left;
  const float* w = args.w + o * s.group_in() * s.taps();
  double sum = args.bias ? args.bias[o] : 0;
  for (int64_t i = 0; i < s.group_in(); ++i) {
    const int64_t c = o / s.group_out() * s.group_in() + i;
    for (int64_t t = 0; t < s.taps(); ++t) {
      sum += *w++ * ReferenceBlockedAt(args, block, n, c,
                                       y + t / s.kernel_w * s.dilation_h,
                                       z + t % s.kernel_w * s.dilation_w);
    }
  }
  return sum;
}

inline void ReferenceConvBlockedF32(const ConvBlockedF32Args& args,
                                    int64_t block) {
  const ConvF32Shape& s = args.shape;
  const int64_t padded = RoundUp(s.out_channels, block);
  for (int64_t i = 0; i < s.batch * padded * s.out_plane(); ++i) {
    const int64_t pixel = i / block % s.out_plane();
    const int64_t n = i / (padded * s.out_plane());
    const int64_t o = i / block / s.out_plane() * block % padded + i % block;
    const double before = args.residual ? args.residual[i] : 0;
    args.y[i] =
        o >= s.out_channels
            ? 0
            : static_cast<float>(ReferenceActivation(
                  before + ReferenceBlockedSum(args, block, n, o, pixel),
                  args.act));
  }
}

}  // namespace stint
