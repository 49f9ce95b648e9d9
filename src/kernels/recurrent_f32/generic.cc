#include "kernels/simd/generic.h"

#include "kernels/recurrent_f32/cell.h"

namespace stint {

void RecurrentF32Generic(const RecurrentBlock& block) {
  RunRecurrent<Generic, 12>(block);
}

}  // namespace stint
