#include "kernels/simd/generic.h"

#include "kernels/pool_f32/planes.h"

namespace stint {

void MaxPoolF32Generic(const PoolPlane& pool) {
  PoolPlaneWith<Generic, true>(pool);
}
void AveragePoolF32Generic(const PoolPlane& pool) {
  PoolPlaneWith<Generic, false>(pool);
}
float SumF32Generic(const float* x, int64_t n) {
  return SumWith<Generic>(x, n);
}

}  // namespace stint
