#include "kernels/limits/loops.h"
#include "kernels/simd/avx512.h"

namespace stint {

void SpinFmaAvx512(int64_t steps) { SpinFma<Avx512>(steps); }

float ReadFloatsAvx512(const float* data, int64_t count) {
  return ReadFloats<Avx512>(data, count);
}

}  // namespace stint
