#include "kernels/conv_blocked_f32/depthwise.h"

#include <algorithm>

#include "core/platform/thread_pool.h"
#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"
#include "kernels/geometry/blocking.h"
#include "kernels/geometry/padded_lanes.h"

namespace stint {

bool BlockedDepthwiseSupports(const ConvBlockedF32Kernel&,
                              const ConvF32Shape& shape) {
  return shape.group_in() == 1 && shape.group_out() == 1;
}

int64_t BlockedDepthwisePackedBytes(const ConvBlockedF32Kernel& kernel,
                                    const ConvF32Shape& shape) {
  return BlockedFloats(shape.out_channels, shape.taps(), kernel.block) *
         int64_t{sizeof(float)};
}

void BlockedDepthwisePack(const ConvBlockedF32Kernel& kernel,
                          const ConvF32Shape& shape, const float* w,
                          float* packed, ThreadPool*) {
  const int64_t block = kernel.block;
  const int64_t taps = shape.taps();
  std::fill_n(packed, BlockedFloats(shape.out_channels, taps, block), 0.0f);
  for (int64_t c = 0; c < shape.out_channels; ++c) {
    float* to = packed + c / block * taps * block + c % block;
    for (int64_t t = 0; t < taps; ++t) to[t * block] = w[c * taps + t];
  }
}

int64_t BlockedDepthwiseScratchBytes(const ConvBlockedF32Kernel&,
                                     const ConvF32Shape&, int) {
  return 0;
}

void BlockedDepthwiseConv(const ConvBlockedF32Kernel& kernel,
                          const ConvBlockedF32Args& args, ThreadPool* pool) {
  const ConvF32Shape& s = args.shape;
  const int64_t block = kernel.block;
  const int64_t blocks = CeilDiv(s.out_channels, block);
  const int64_t keep = LanesToKeep(s.out_channels, block, args.act);
  const int64_t row_floats = s.out_w * block;
  auto run_row = [&](int64_t r) {
    const int64_t image = r / s.out_h;  // n * blocks + b
    const int64_t b = image % blocks;
    float* y = args.y + r * row_floats;
    kernel.depthwise({&s, r % s.out_h, args.x + image * s.in_plane() * block,
                      args.w + b * s.taps() * block,
                      args.bias ? args.bias + b * block : nullptr,
                      args.residual ? args.residual + r * row_floats : nullptr,
                      y, args.act, kernel.schedule.tile_pixels});
    if (b + 1 == blocks && keep < block) ClearLanes(y, s.out_w, block, keep);
  };
  const int64_t rows = s.batch * blocks * s.out_h;
  const int64_t parts = kernel.schedule.parts();
  const int64_t grain = parts > 0
                            ? std::max<int64_t>(1, rows / parts)
                            : CeilDiv(kMinParallelWork, row_floats * s.taps());
  pool->ParallelFor(rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) run_row(r);
  });
}

}  // namespace stint
