#include "kernels/pool_blocked_f32/rows.h"
#include "kernels/simd/avx512.h"

namespace stint {

void MaxPoolBlockedAvx512(const PoolBlockedRow& row) {
  PoolBlockedRowWith<Avx512, 16, true>(row);
}
void AveragePoolBlockedAvx512(const PoolBlockedRow& row) {
  PoolBlockedRowWith<Avx512, 16, false>(row);
}
void MeanBlockedAvx512(const float* x, int64_t n, float* y) {
  MeanBlockedWith<Avx512, 16>(x, n, y);
}

void MaxPoolNarrowAvx512(const PoolNarrowRow& row) {
  MaxPoolNarrowRowWith<Avx512>(row);
}

}  // namespace stint
