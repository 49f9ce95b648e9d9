#include "kernels/gemm_bf16/tile.h"
#include "kernels/simd/neon.h"

namespace stint {

void GemmBf16Neon(const GemmBf16Block& block) {
  RunGemmBf16<Neon, 8, 3>(block);
}

}  // namespace stint
