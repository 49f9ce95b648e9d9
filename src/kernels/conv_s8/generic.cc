#include "kernels/conv_s8/depthwise_rows.h"
#include "kernels/conv_s8/lanes_generic.h"
#include "kernels/conv_s8/tile.h"

namespace stint {
namespace {

void RunTiles(const ConvS8Tiles& t) {
  if (t.vecs == 1) return RunConvS8Tiles<ConvGenericS8, 4, 1>(t);
  RunConvS8Tiles<ConvGenericS8, 4, 2>(t);
}

}  // namespace

// 8 sums leave half of the registers to the pairs of pixels and weights.
extern const ConvS8TileSet kConvS8TilesGeneric;
const ConvS8TileSet kConvS8TilesGeneric = {4, 2, RunTiles};

extern const ConvS8DepthwiseSet kConvS8DepthwiseGeneric;
const ConvS8DepthwiseSet kConvS8DepthwiseGeneric = {
    4, RunDepthwiseS8<ConvGenericS8>};

}  // namespace stint
