#include "kernels/simd/generic.h"

#include "kernels/conv_blocked_f32/depthwise_rows.h"
#include "kernels/conv_blocked_f32/tile.h"

namespace stint {
namespace {

using V = Generic;
constexpr int kBlock = 8;

void RunTiles(const ConvTiles& tiles) {
  RunConvRowOfStep<V, kBlock, 6, 1>(tiles);
}

}  // namespace

// 12 sums, 2 weights and a pixel in 16 registers.
extern const ConvTileSet kConvTilesGeneric;
const ConvTileSet kConvTilesGeneric = {kBlock, {6, 0, 0, 0}, RunTiles};

void BlockedDepthwiseGeneric(const ConvBlockedDepthwiseRow& row) {
  RunDepthwiseRow<V, kBlock, 6>(row);
}

}  // namespace stint
