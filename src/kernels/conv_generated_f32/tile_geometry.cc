#include "kernels/conv_generated_f32/tile_geometry.h"

#include <algorithm>

#include "core/base/checked_math.h"

namespace stint {
namespace {

constexpr int kFloat = sizeof(float);

// An image that a 1x1 kernel reads as it lies, as rows of whole tiles: long
// ones call less, but threads need enough of them.
void Flatten(TileGeometry* g) {
  ConvF32Shape& s = g->shape;
  const int64_t tiles = CeilDiv(g->out_pixels, g->cols);
  const int64_t row = std::clamp<int64_t>(tiles / 16, 1, 8) * g->cols;
  s.in_w = s.out_w = std::min(row, g->out_pixels);
  s.in_h = s.out_h = CeilDiv(g->out_pixels, s.out_w);
}

bool IsFlat(const ConvF32Shape& s) {
  return s.taps() == 1 && s.stride_h == 1 && s.stride_w == 1 &&
         s.pad_top == 0 && s.pad_left == 0 && s.in_h == s.out_h &&
         s.in_w == s.out_w;
}

int Clamp(int wanted, int own, int most) {
  return std::clamp(wanted > 0 ? wanted : own, 1, std::max(1, most));
}

// Whether tap `t` of an output along an axis lies in the image.
bool Inside(int64_t out, int64_t tap, int64_t stride, int64_t dilation,
            int64_t pad, int64_t in) {
  const int64_t at = out * stride - pad + tap * dilation;
  return at >= 0 && at < in;
}

}  // namespace

int GeneratedPixels(Isa isa, int blocks) {
#if defined(__x86_64__)
  const int registers = isa >= Isa::kAvx512 ? 32 : isa >= Isa::kAvx2 ? 16 : 0;
  if (registers == 0 || blocks < 1 || blocks > kGeneratedBlocks) return 0;
  return (registers - 1 - blocks) / blocks;
#else
  (void)isa;
  (void)blocks;
  return 0;
#endif
}

int GeneratedDepthwisePixels(Isa isa, int64_t taps) {
  if (GeneratedPixels(isa, 1) == 0) return 0;
  // Two columns of x beside the sums, and weights where there is room for them.
  if (isa < Isa::kAvx512) return 16 - 2;
  return 32 - 2 - static_cast<int>(taps <= kDepthwiseTaps ? taps : 0);
}

TileGeometry MakeTileGeometry(const ConvF32Shape& shape, ImageLayout input,
                              const ConvSchedule& schedule, Isa isa) {
  TileGeometry g{};
  g.shape = shape;
  g.out_pixels = shape.out_plane();
  g.block = isa >= Isa::kAvx512 ? 16 : 8;
  g.lanes = input == ImageLayout::kPlain ? 1 : g.block;
  g.out_block = shape.out_plane() * g.block * kFloat;
  g.in_plane = shape.in_plane();
  const bool flat = IsFlat(shape);
  const int out_blocks = static_cast<int>(CeilDiv(shape.out_channels, g.block));
  g.depthwise = IsDepthwise(shape, input);
  g.blocks = g.depthwise ? 1
                         : Clamp(schedule.tile_blocks, 2,
                                 std::min(out_blocks, kGeneratedBlocks));
  const int pixels = g.depthwise ? GeneratedDepthwisePixels(isa, shape.taps())
                                 : GeneratedPixels(isa, g.blocks);
  g.rows =
      flat ? 1
           : Clamp(schedule.tile_rows, 1,
                   static_cast<int>(std::min<int64_t>(shape.out_h, pixels)));
  const int64_t width = flat ? g.out_pixels : shape.out_w;
  g.cols = Clamp(schedule.tile_pixels, pixels / g.rows,
                 static_cast<int>(std::min<int64_t>(width, pixels / g.rows)));
  g.unroll = Clamp(schedule.unroll, 1, g.lanes);
  while (g.lanes % g.unroll != 0) --g.unroll;
  g.ahead = schedule.ahead;
  if (flat) Flatten(&g);
  return g;
}

int64_t TileGeometry::ColsAt(int64_t row, int64_t col) const {
  const int64_t left = out_pixels - row * shape.out_w - col;
  return std::min({static_cast<int64_t>(cols), shape.out_w - col, left});
}

int64_t TileGeometry::InputAt(int64_t row, int64_t col) const {
  const int64_t y = row * shape.stride_h - shape.pad_top;
  const int64_t x = col * shape.stride_w - shape.pad_left;
  return (y * shape.in_w + x) * lanes;
}

TileSpec TileGeometry::SpecOf(GemmRange tile_rows, GemmRange tile_cols,
                              int64_t tile_blocks, bool last) const {
  const ConvF32Shape& s = shape;
  const int64_t width = tile_cols.end - tile_cols.begin;
  TileSpec spec;
  spec.block = block;
  spec.blocks = static_cast<int>(tile_blocks);
  spec.pixels = static_cast<int>((tile_rows.end - tile_rows.begin) * width);
  spec.lanes = lanes;
  spec.planes = depthwise ? 0 : s.in_channels / lanes;
  spec.tail = depthwise ? 0 : static_cast<int>(s.in_channels % lanes);
  spec.depthwise = depthwise;
  const int64_t used = s.out_channels % block;
  spec.half_last =
      last && !depthwise && block == 16 && used > 0 && used <= block / 2;
  spec.unroll = unroll;
  spec.ahead = ahead;
  spec.x_plane = static_cast<int32_t>(in_plane * lanes * kFloat);
  spec.x_tile = static_cast<int32_t>(width * s.stride_w * lanes * kFloat);
  spec.y_tile = static_cast<int32_t>(width * block * kFloat);
  spec.y_block = static_cast<int32_t>(out_block);
  spec.w_block = static_cast<int32_t>(s.group_in() * s.taps() * block * kFloat);
  spec.taps.resize(static_cast<size_t>(s.taps()));
  for (int i = 0; i < spec.pixels; ++i) {
    const int64_t r = i / width;
    const int64_t p = i % width;
    spec.y.push_back(static_cast<int32_t>((r * s.out_w + p) * block * kFloat));
    for (int64_t t = 0; t < s.taps(); ++t) {
      const int64_t kr = t / s.kernel_w;
      const int64_t kq = t % s.kernel_w;
      if (!Inside(tile_rows.begin + r, kr, s.stride_h, s.dilation_h, s.pad_top,
                  s.in_h) ||
          !Inside(tile_cols.begin + p, kq, s.stride_w, s.dilation_w, s.pad_left,
                  s.in_w)) {
        continue;
      }
      const int64_t x = (r * s.stride_h + kr * s.dilation_h) * s.in_w +
                        p * s.stride_w + kq * s.dilation_w;
      spec.taps[static_cast<size_t>(t)].push_back(
          {i, static_cast<int32_t>(x * lanes * kFloat)});
    }
  }
  return spec;
}

}  // namespace stint
