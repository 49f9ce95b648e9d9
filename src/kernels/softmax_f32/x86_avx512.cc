#include "kernels/simd/avx512.h"
#include "kernels/softmax_f32/rows.h"

namespace stint {

void SoftmaxF32Avx512(const SoftmaxF32Args& args) { SoftmaxWith<Avx512>(args); }

}  // namespace stint
