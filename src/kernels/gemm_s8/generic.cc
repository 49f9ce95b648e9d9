#include "kernels/gemm_s8/generic_s8.h"

namespace stint {

// 8 sums leave half of the registers to the pairs of A and B.
void GemmS8Generic(const GemmS8Block& block) { RunGemmS8<GenericS8, 4>(block); }

void QuantizeRowsGeneric(const QuantizeRowsArgs& args) {
  QuantizeRowsWith<GenericS8>(args);
}

}  // namespace stint
