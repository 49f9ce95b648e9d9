#include "kernels/gemm_f32/tile.h"
#include "kernels/simd/avx512.h"

namespace stint {

// 24 accumulators, 3 vectors of B and a broadcast of A fill 28 of 32 registers.
void GemmF32Avx512(const GemmF32Block& block) {
  RunGemmBlock<Avx512, 8, 3>(block);
}

}  // namespace stint
