#include "kernels/limits/loops.h"

namespace stint {

void SpinFmaGeneric(int64_t steps) { SpinFma<Generic>(steps); }

float ReadFloatsGeneric(const float* data, int64_t count) {
  return ReadFloats<Generic>(data, count);
}

}  // namespace stint
