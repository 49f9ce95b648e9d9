#include "kernels/simd/generic.h"

#include "kernels/pool_blocked_f32/rows.h"

namespace stint {

void MaxPoolBlockedGeneric(const PoolBlockedRow& row) {
  PoolBlockedRowWith<Generic, 8, true>(row);
}
void AveragePoolBlockedGeneric(const PoolBlockedRow& row) {
  PoolBlockedRowWith<Generic, 8, false>(row);
}
void MeanBlockedGeneric(const float* x, int64_t n, float* y) {
  MeanBlockedWith<Generic, 8>(x, n, y);
}

void MaxPoolNarrowGeneric(const PoolNarrowRow& row) {
  MaxPoolNarrowRowWith<Generic>(row);
}

}  // namespace stint
