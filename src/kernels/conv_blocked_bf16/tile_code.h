#pragma once
// The inner loops of the convolution on tiles, one source for AMX, its
// emulation and vector registers (class Tiles, with float vectors V).

#include <algorithm>

#include "kernels/conv_blocked_bf16/tile_finish.h"
#include "kernels/simd/tile_product.h"

namespace stint {

template <class V>
void RoundConvPixels(const ConvPixels& pixels) {
  using H = Bf16<V>;
  for (int64_t i = 0; i < pixels.count; ++i) {
    const float* x = pixels.x + i * pixels.x_pixel;
    uint16_t* to = pixels.to + i * pixels.to_pixel;
    for (int64_t j = 0; j < kConvTileBlock; j += V::kWidth) {
      H::Store(to + j, H::Round(V::Load(x + j)));
    }
  }
}

template <class V>
void RoundConvPlainPixels(const ConvPlainPixels& pixels) {
  using H = Bf16<V>;
  constexpr int kWidth = V::kWidth;
  uint16_t rows[4][kWidth] = {};
  for (int64_t i = 0; i < pixels.count; i += kWidth) {
    const int64_t n = std::min<int64_t>(kWidth, pixels.count - i);
    for (int64_t c = 0; c < pixels.channels; ++c) {
      const float* x = pixels.x + c * pixels.plane + i;
      H::Store(rows[c], H::Round(V::LoadN(x, n)));
    }
    uint16_t together[kWidth][4];
    for (int j = 0; j < kWidth; ++j) {
      for (int c = 0; c < 4; ++c) together[j][c] = rows[c][j];
    }
    std::memcpy(pixels.to + i * 4, together, static_cast<size_t>(n) * 8);
  }
}

// A row tile that would read past the image begins earlier.
STINT_INLINE ConvTilePixels ConvUnitPixels(const ConvTilePart& part,
                                           int64_t unit) {
  const ConvTilePlan& plan = *part.plan;
  const int64_t col = unit % plan.units * plan.tile;
  const int64_t first = (part.row + unit / plan.units) * plan.cols + col;
  const int64_t count =
      std::min({plan.tile, plan.cols - col, part.pixels - first});
  return {first, plan.direct ? std::max<int64_t>(0, plan.tile - count) : 0,
          count};
}

STINT_INLINE const uint8_t* ConvUnitPlace(const ConvTilePart& part,
                                          int64_t unit) {
  const ConvTilePlan& plan = *part.plan;
  if (plan.direct) {
    const ConvTilePixels pixels = ConvUnitPixels(part, unit);
    return part.a + (pixels.first - pixels.skip) * plan.PixelBytes();
  }
  const int64_t row = unit / plan.units * plan.stride_h * plan.pitch;
  const int64_t col = unit % plan.units * plan.tile * plan.stride_w;
  return part.a + (row + col) * plan.PixelBytes();
}

template <class Tiles, class V>
void RunConvTilePart(const ConvTilePart& part) {
  const ConvTilePlan& plan = *part.plan;
  const int64_t pairs = CeilDiv(part.unit_end, 2);
  const int64_t pair_bytes = plan.steps * 2 * kTileBytes;
  TileShape shape;
  ShapeTiles<Tiles>(static_cast<int>(plan.tile), &shape);
  TileProduct t{};
  t.a_stride = plan.stride_w * plan.PixelBytes();
  t.a_offset = part.offsets;
  t.rows = plan.tile;
  t.steps = plan.steps;
  t.far_lines = CeilDiv(2 * kTileBytes / 64, pairs);
  TileSums<float> sums;
  for (int64_t p = part.pair_begin; p < part.pair_end; ++p) {
    const int64_t blocks = std::min<int64_t>(2, part.out_blocks - 2 * p);
    const FinishConvFn finish = FindConvFinish<V>(part, blocks);
    t.b = part.w + p * pair_bytes;
    t.far = t.b + pair_bytes;
    for (int64_t u = 0; u < part.unit_end; u += 2) {
      const int units = u + 1 < part.unit_end ? 2 : 1;
      t.a[0] = ConvUnitPlace(part, u);
      t.a[1] = units == 2 ? ConvUnitPlace(part, u + 1) : t.a[0];
      MultiplyTiles<Tiles, TileDot::kBf16>(t, units, static_cast<int>(blocks),
                                           &sums);
      t.far += t.steps * t.far_lines * 64;
      for (int i = 0; i < units; ++i) {
        finish(part, ConvUnitPixels(part, u + i), 2 * p, &sums.tile[i * 2]);
      }
    }
  }
  ReleaseTiles<Tiles>(&shape);
}

}  // namespace stint
