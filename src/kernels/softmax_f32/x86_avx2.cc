#include "kernels/simd/avx2.h"
#include "kernels/softmax_f32/rows.h"

namespace stint {

void SoftmaxF32Avx2(const SoftmaxF32Args& args) { SoftmaxWith<Avx2>(args); }

}  // namespace stint
