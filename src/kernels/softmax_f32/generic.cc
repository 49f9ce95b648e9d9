#include "kernels/simd/generic.h"

#include "kernels/softmax_f32/rows.h"

namespace stint {

void SoftmaxF32Generic(const SoftmaxF32Args& args) {
  SoftmaxWith<Generic>(args);
}

}  // namespace stint
