#include "kernels/gemm_s8/vnni_s8.h"

namespace stint {

// 24 sums, 3 vectors of B and a broadcast of A fill 28 of 32 registers.
void GemmS8Vnni(const GemmS8Block& block) { RunGemmS8<VnniS8, 8>(block); }

void QuantizeRowsVnni(const QuantizeRowsArgs& args) {
  QuantizeRowsWith<VnniS8>(args);
}

}  // namespace stint
