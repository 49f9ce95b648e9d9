#include "kernels/gemm_f32/tile.h"
#include "kernels/simd/avx2.h"

namespace stint {

// 12 accumulators, 2 vectors of B and a broadcast of A fill 15 of 16 registers.
void GemmF32Avx2(const GemmF32Block& block) { RunGemmBlock<Avx2, 6, 2>(block); }

}  // namespace stint
