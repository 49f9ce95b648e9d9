#include "kernels/conv_blocked_f32/gathered.h"

#include <algorithm>

#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"
#include "kernels/conv_blocked_f32/direct/direct_schedule.h"

namespace stint {

void CopyPatch(const ConvF32Shape& s, const float* plane, GemmRange rows,
               GemmRange cols, int64_t block, float* to) {
  const int64_t floats = (cols.end - cols.begin) * block;
  const int64_t first = std::clamp<int64_t>(0, cols.begin, cols.end);
  const int64_t last = std::clamp(s.in_w, first, cols.end);
  for (int64_t y = rows.begin; y < rows.end; ++y, to += floats) {
    if (y < 0 || y >= s.in_h || first >= last) {
      std::fill_n(to, floats, 0.0f);
      continue;
    }
    float* at = std::fill_n(to, (first - cols.begin) * block, 0.0f);
    at = std::copy_n(plane + (y * s.in_w + first) * block,
                     (last - first) * block, at);
    std::fill(at, to + floats, 0.0f);
  }
}

bool GatheredSupports(const ConvBlockedF32Kernel&, const ConvF32Shape& s) {
  return s.groups == 1 && s.taps() > 1;
}

void MultiplyGathered(const ConvBlockedF32Kernel& kernel,
                      const ConvBlockedF32Args& args, const GatheredInput& in,
                      const GatheredOutput& out) {
  const ConvF32Shape& s = args.shape;
  const int64_t block = kernel.block;
  const int64_t planes = CeilDiv(s.in_channels, block);
  const int64_t w_plane = block * s.taps() * block;
  const ConvTileChoice choice = ScheduledTile(
      *kernel.tiles, kernel.schedule,
      PickConvTile(*kernel.tiles, out.cols, out.blocks.end - out.blocks.begin,
                   kConvTileBlocks),
      kConvTileBlocks);
  const int64_t pass_bytes = w_plane * choice.blocks * int64_t{sizeof(float)};
  const int64_t wanted = kernel.schedule.chunk > 0
                             ? kernel.schedule.chunk
                             : kConvPassBytes / pass_bytes;
  const int64_t chunk = EvenBlock(planes, std::max<int64_t>(1, wanted), 1);
  ConvTiles t{};
  t.x_pixel = in.pixel;
  std::copy_n(in.step, 3, t.x_step);
  t.count[1] = s.kernel_h;
  t.count[2] = s.kernel_w;
  t.inner = block;
  t.w_block = s.in_channels * s.taps() * block;
  t.y_block = out.block;
  t.pixels = out.cols;
  t.tile = choice.pixels;
  t.act = args.act;
  for (int64_t b = out.blocks.begin; b < out.blocks.end; b += choice.blocks) {
    t.blocks = std::min(choice.blocks, out.blocks.end - b);
    t.bias = args.bias ? args.bias + b * block : nullptr;
    const int64_t at = (b - out.blocks.begin) * out.block;
    for (int64_t i = 0; i < planes; i += chunk) {
      t.count[0] = std::min(chunk, planes - i);
      t.accumulate = i > 0;
      t.finish = i + chunk >= planes;
      t.inner_last = t.finish ? s.in_channels - (planes - 1) * block : t.inner;
      t.steps = ((t.count[0] - 1) * block + t.inner_last) * s.taps();
      t.w = args.w + b * t.w_block + i * w_plane;
      for (int64_t r = 0; r < out.rows; ++r) {
        t.x = in.x + i * in.step[0] + r * in.row;
        t.y = out.y + at + r * out.row;
        t.residual = out.residual ? out.residual + at + r * out.row : nullptr;
        kernel.tiles->run(t);
      }
    }
  }
}

}  // namespace stint
