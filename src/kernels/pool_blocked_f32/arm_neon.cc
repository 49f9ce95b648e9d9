#include "kernels/pool_blocked_f32/rows.h"
#include "kernels/simd/neon.h"

namespace stint {

void MaxPoolBlockedNeon(const PoolBlockedRow& row) {
  PoolBlockedRowWith<Neon, 8, true>(row);
}
void AveragePoolBlockedNeon(const PoolBlockedRow& row) {
  PoolBlockedRowWith<Neon, 8, false>(row);
}
void MeanBlockedNeon(const float* x, int64_t n, float* y) {
  MeanBlockedWith<Neon, 8>(x, n, y);
}

void MaxPoolNarrowNeon(const PoolNarrowRow& row) {
  MaxPoolNarrowRowWith<Neon>(row);
}

}  // namespace stint
