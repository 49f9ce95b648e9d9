#include "kernels/conv_s8/depthwise_rows.h"
#include "kernels/conv_s8/lanes_vnni.h"
#include "kernels/conv_s8/tile.h"

namespace stint {
namespace {

// 24 sums, 4 vectors of weights and a broadcast fill 29 of 32 registers; more
// than 8 pixels would not leave each its own pointer.
void RunTiles(const ConvS8Tiles& t) {
  switch (t.vecs) {
    case 1:
      return RunConvS8Tiles<ConvVnniS8, 8, 1>(t);
    case 2:
      return RunConvS8Tiles<ConvVnniS8, 8, 2>(t);
    case 3:
      return RunConvS8Tiles<ConvVnniS8, 8, 3>(t);
    default:
      return RunConvS8Tiles<ConvVnniS8, 6, 4>(t);
  }
}

}  // namespace

extern const ConvS8TileSet kConvS8TilesVnni;
const ConvS8TileSet kConvS8TilesVnni = {16, 4, RunTiles};

extern const ConvS8DepthwiseSet kConvS8DepthwiseVnni;
const ConvS8DepthwiseSet kConvS8DepthwiseVnni = {16,
                                                 RunDepthwiseS8<ConvVnniS8>};

}  // namespace stint
