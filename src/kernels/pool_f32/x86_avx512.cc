#include "kernels/pool_f32/planes.h"
#include "kernels/simd/avx512.h"

namespace stint {

void MaxPoolF32Avx512(const PoolPlane& pool) {
  PoolPlaneWith<Avx512, true>(pool);
}
void AveragePoolF32Avx512(const PoolPlane& pool) {
  PoolPlaneWith<Avx512, false>(pool);
}
float SumF32Avx512(const float* x, int64_t n) { return SumWith<Avx512>(x, n); }

}  // namespace stint
