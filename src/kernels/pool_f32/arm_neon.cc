#include "kernels/pool_f32/planes.h"
#include "kernels/simd/neon.h"

namespace stint {

void MaxPoolF32Neon(const PoolPlane& pool) { PoolPlaneWith<Neon, true>(pool); }
void AveragePoolF32Neon(const PoolPlane& pool) {
  PoolPlaneWith<Neon, false>(pool);
}
float SumF32Neon(const float* x, int64_t n) { return SumWith<Neon>(x, n); }

}  // namespace stint
