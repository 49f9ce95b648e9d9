#include "kernels/conv_blocked_bf16/depthwise_code.h"
#include "kernels/conv_blocked_bf16/tile_code.h"
#include "kernels/simd/avx512_bf16.h"
#include "kernels/simd/dot_tiles.h"

namespace stint {

extern const ConvTileCode kConvTileCodeDot;
const ConvTileCode kConvTileCodeDot = {
    RoundConvPixels<Avx512Bf16>, RoundConvPlainPixels<Avx512Bf16>,
    RunConvTilePart<DotTiles, Avx512Bf16>, RunNarrowDepthwiseRow<Avx512Bf16>};

}  // namespace stint
