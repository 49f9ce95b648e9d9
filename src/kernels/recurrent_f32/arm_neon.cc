#include "kernels/recurrent_f32/cell.h"
#include "kernels/simd/neon.h"

namespace stint {

void RecurrentF32Neon(const RecurrentBlock& block) {
  RunRecurrent<Neon, 24>(block);
}

}  // namespace stint
