#include "kernels/pool_f32/planes.h"
#include "kernels/simd/avx2.h"

namespace stint {

void MaxPoolF32Avx2(const PoolPlane& pool) { PoolPlaneWith<Avx2, true>(pool); }
void AveragePoolF32Avx2(const PoolPlane& pool) {
  PoolPlaneWith<Avx2, false>(pool);
}
float SumF32Avx2(const float* x, int64_t n) { return SumWith<Avx2>(x, n); }

}  // namespace stint
