#include "kernels/simd/generic.h"

#include "kernels/gemm_f32/tile.h"

namespace stint {

// 12 accumulators, 2 vectors of B and a broadcast of A fill the 16 registers
// of SSE2.
void GemmF32Generic(const GemmF32Block& block) {
  RunGemmBlock<Generic, 6, 2>(block);
}

}  // namespace stint
