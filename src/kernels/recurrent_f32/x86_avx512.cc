#include "kernels/recurrent_f32/cell.h"
#include "kernels/simd/avx512.h"

namespace stint {

void RecurrentF32Avx512(const RecurrentBlock& block) {
  RunRecurrent<Avx512, 24>(block);
}

}  // namespace stint
