#include "kernels/gemm_s8/amx.h"
#include "kernels/gemm_s8/lanes_vnni.h"

namespace stint {

void GemmS8Amx(const GemmS8Block& block) {
  RunS8Tiles<AmxTiles, VnniS8>(block);
}

void ReleaseGemmS8Amx(GemmS8Tiles* tiles) {
  ReleaseS8Tiles<AmxTiles, VnniS8>(tiles);
}

}  // namespace stint
