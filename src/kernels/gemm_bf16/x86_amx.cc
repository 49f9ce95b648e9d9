#include "kernels/gemm_bf16/amx.h"
#include "kernels/simd/avx512_bf16.h"

namespace stint {

void PackGemmBf16Amx(const GemmBf16Rows& rows, uint16_t* tiles) {
  PackBf16Rows<Avx512Bf16>(rows, tiles);
}

void GemmBf16Amx(const GemmBf16Block& block) {
  RunBf16Tiles<AmxTiles, Avx512>(block);
}

void ReleaseGemmBf16Amx(GemmBf16Tiles* tiles) {
  ReleaseBf16Tiles<AmxTiles, Avx512>(tiles);
}

}  // namespace stint
