#include "kernels/conv_blocked_bf16/depthwise_code.h"
#include "kernels/conv_blocked_bf16/tile_code.h"
#include "kernels/simd/avx512_bf16.h"

namespace stint {

extern const ConvTileCode kConvTileCodeAmx;
const ConvTileCode kConvTileCodeAmx = {
    RoundConvPixels<Avx512Bf16>, RoundConvPlainPixels<Avx512Bf16>,
    RunConvTilePart<AmxTiles, Avx512Bf16>, RunNarrowDepthwiseRow<Avx512Bf16>};

}  // namespace stint
