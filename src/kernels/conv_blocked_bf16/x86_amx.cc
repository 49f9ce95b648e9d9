#include "kernels/conv_blocked_bf16/tile_code.h"
#include "kernels/simd/avx512.h"

namespace stint {

extern const ConvTileCode kConvTileCodeAmx;
const ConvTileCode kConvTileCodeAmx = {RoundConvPixels<Avx512>,
                                       RunConvTilePart<AmxTiles, Avx512>};

}  // namespace stint
