#include "kernels/gemm_bf16/tile.h"
#include "kernels/simd/avx512.h"

namespace stint {

void GemmBf16Avx512(const GemmBf16Block& block) {
  RunGemmBf16<Avx512, 8, 3>(block);
}

}  // namespace stint
