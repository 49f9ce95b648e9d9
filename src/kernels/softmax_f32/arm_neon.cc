#include "kernels/simd/neon.h"
#include "kernels/softmax_f32/rows.h"

namespace stint {

void SoftmaxF32Neon(const SoftmaxF32Args& args) { SoftmaxWith<Neon>(args); }

}  // namespace stint
