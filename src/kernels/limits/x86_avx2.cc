#include "kernels/limits/loops.h"
#include "kernels/simd/avx2.h"

namespace stint {

void SpinFmaAvx2(int64_t steps) { SpinFma<Avx2>(steps); }

float ReadFloatsAvx2(const float* data, int64_t count) {
  return ReadFloats<Avx2>(data, count);
}

}  // namespace stint
