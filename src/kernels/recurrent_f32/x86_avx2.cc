#include "kernels/recurrent_f32/cell.h"
#include "kernels/simd/avx2.h"

namespace stint {

void RecurrentF32Avx2(const RecurrentBlock& block) {
  RunRecurrent<Avx2, 12>(block);
}

}  // namespace stint
