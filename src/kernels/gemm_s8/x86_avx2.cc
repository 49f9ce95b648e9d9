#include "kernels/gemm_s8/lanes_avx2.h"
#include "kernels/gemm_s8/tile.h"

namespace stint {

// 8 sums, 2 pairs of B, a pair of A and the mask fill 15 of 16 registers.
void GemmS8Avx2(const GemmS8Block& block) { RunGemmS8<Avx2S8, 4>(block); }

void QuantizeRowsAvx2(const QuantizeRowsArgs& args) {
  QuantizeRowsWith<Avx2S8>(args);
}

}  // namespace stint
