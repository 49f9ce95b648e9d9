#include "kernels/simd/generic.h"

#include "kernels/gemm_bf16/tile.h"

namespace stint {

void GemmBf16Generic(const GemmBf16Block& block) {
  RunGemmBf16<Generic, 6, 2>(block);
}

}  // namespace stint
