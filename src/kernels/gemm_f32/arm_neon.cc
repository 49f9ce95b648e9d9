#include "kernels/gemm_f32/tile.h"
#include "kernels/simd/neon.h"

namespace stint {

// 24 accumulators, 3 vectors of B and a broadcast of A fill 28 of 32 registers.
void GemmF32Neon(const GemmF32Block& block) { RunGemmBlock<Neon, 8, 3>(block); }

}  // namespace stint
