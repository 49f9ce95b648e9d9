#include "kernels/pool_blocked_f32/rows.h"
#include "kernels/simd/avx2.h"

namespace stint {

void MaxPoolBlockedAvx2(const PoolBlockedRow& row) {
  PoolBlockedRowWith<Avx2, 8, true>(row);
}
void AveragePoolBlockedAvx2(const PoolBlockedRow& row) {
  PoolBlockedRowWith<Avx2, 8, false>(row);
}
void MeanBlockedAvx2(const float* x, int64_t n, float* y) {
  MeanBlockedWith<Avx2, 8>(x, n, y);
}

void MaxPoolNarrowAvx2(const PoolNarrowRow& row) {
  MaxPoolNarrowRowWith<Avx2>(row);
}

}  // namespace stint
