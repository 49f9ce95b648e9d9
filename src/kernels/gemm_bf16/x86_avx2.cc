#include "kernels/gemm_bf16/tile.h"
#include "kernels/simd/avx2.h"

namespace stint {

void GemmBf16Avx2(const GemmBf16Block& block) {
  RunGemmBf16<Avx2, 6, 2>(block);
}

}  // namespace stint
