#include "kernels/conv_s8/lanes_vnni.h"
#include "kernels/conv_s8/tile_registers.h"

namespace stint {

// 4 products of 16 x 16 x 64 bytes take 64 cycles.
extern const ConvS8TileSet kConvS8TilesAmx;
const ConvS8TileSet kConvS8TilesAmx = {
    16, 4, RunConvS8TileRegisters<AmxTiles, ConvVnniS8>, 16, 1024};

}  // namespace stint
