#include "kernels/gemm_bf16/amx.h"
#include "kernels/simd/avx512_bf16.h"
#include "kernels/simd/dot_tiles.h"

namespace stint {

void PackGemmBf16Dot(const GemmBf16Rows& rows, uint16_t* tiles) {
  PackBf16Rows<Avx512Bf16>(rows, tiles);
}

void GemmBf16Dot(const GemmBf16Block& block) {
  RunBf16Tiles<DotTiles, Avx512>(block);
}

void ReleaseGemmBf16Dot(GemmBf16Tiles* tiles) {
  ReleaseBf16Tiles<DotTiles, Avx512>(tiles);
}

}  // namespace stint
