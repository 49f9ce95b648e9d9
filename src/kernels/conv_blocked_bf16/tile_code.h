#pragma once
// The inner loops of the convolution on AMX tiles, one source for the
// instructions and their emulation (class Tiles, with float vectors V).

#include <algorithm>

#include "kernels/conv_blocked_bf16/tile_part.h"
#include "kernels/simd/bf16.h"
#include "kernels/simd/curves.h"
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

// `count` pixels of one output block from what a tile register held.
template <class V>
STINT_INLINE void FinishConvPixels(const ConvTilePart& part, int64_t count,
                                   int64_t block, int64_t pixel,
                                   const float* sums) {
  const int64_t at = block * part.y_block + pixel * kConvTileBlock;
  float* y = part.y + at;
  for (int64_t j = 0; j < kConvTileBlock; j += V::kWidth) {
    const auto bias = part.bias
                          ? V::Load(part.bias + block * kConvTileBlock + j)
                          : V::Set1(0);
    for (int64_t i = j; i < count * kConvTileBlock; i += kConvTileBlock) {
      auto x = V::Load(sums + i) + bias;
      if (part.residual) x = x + V::Load(part.residual + at + i);
      V::Store(y + i, Clamp<V>(x, part.act.lo, part.act.hi));
    }
  }
  if (part.act.curve != Curve::kNone) {
    const int64_t floats = count * kConvTileBlock;
    ApplyCurveRows<V>(part.act.curve, {y, floats, 1, floats});
  }
}

// Both row tiles of a pair of units, by one or two output blocks.
template <class V>
STINT_INLINE void FinishConvUnits(const ConvTilePart& part, int64_t unit,
                                  int64_t block, int64_t blocks,
                                  const TileSums<float>& sums) {
  const ConvTilePlan& plan = *part.plan;
  const int64_t last = std::min(unit + 2, part.unit_end);
  for (int64_t u = unit; u < last; ++u) {
    const int64_t first = u % plan.units * plan.tile;
    const int64_t pixel = (part.row + u / plan.units) * plan.cols + first;
    const int64_t count =
        std::min({plan.tile, plan.cols - first, part.pixels - pixel});
    if (count <= 0) continue;
    for (int64_t b = 0; b < blocks; ++b) {
      FinishConvPixels<V>(part, count, block + b, pixel,
                          sums.tile[(u - unit) * 2 + b][0]);
    }
  }
}

template <class Tiles, class V>
void RunConvTilePart(const ConvTilePart& part) {
  const ConvTilePlan& plan = *part.plan;
  const int64_t pairs = CeilDiv(part.unit_end - part.unit_begin, 2);
  const int64_t pair_bytes = plan.steps * 2 * kTileBytes;
  TileShape shape;
  ShapeTiles<Tiles>(static_cast<int>(plan.tile), &shape);
  TileProduct t{};
  t.a_stride = plan.stride_w * plan.PixelBytes();
  t.a_offset = part.offsets;
  t.steps = plan.steps;
  t.far_lines = CeilDiv(2 * kTileBytes / 64, pairs);
  TileSums<float> sums;
  const auto place = [&](int64_t unit) {
    const int64_t row = unit / plan.units * plan.stride_h * plan.pitch;
    const int64_t col = unit % plan.units * plan.tile * plan.stride_w;
    return part.copy + (row + col) * plan.PixelBytes();
  };
  for (int64_t p = part.pair_begin; p < part.pair_end; ++p) {
    const int64_t blocks = std::min<int64_t>(2, part.out_blocks - 2 * p);
    t.b = part.w + p * pair_bytes;
    t.far = t.b + pair_bytes;
    for (int64_t u = part.unit_begin; u < part.unit_end; u += 2) {
      const bool two = u + 1 < part.unit_end;
      t.a[0] = place(u);
      t.a[1] = two ? place(u + 1) : t.a[0];
      MultiplyTiles<Tiles, TileDot::kBf16>(t, two ? 2 : 1,
                                           static_cast<int>(blocks), &sums);
      t.far += t.steps * t.far_lines * 64;
      FinishConvUnits<V>(part, u, 2 * p, blocks, sums);
    }
  }
  ReleaseTiles<Tiles>(&shape);
}

}  // namespace stint
