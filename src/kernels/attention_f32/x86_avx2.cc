#include "kernels/attention_f32/rows.h"
#include "kernels/simd/avx2.h"

namespace stint {
namespace {

struct Avx2Zip : Avx2 {
  static STINT_INLINE F ZipLow(F a, F b) {
    return _mm256_permute2f128_ps(_mm256_unpacklo_ps(a, b),
                                  _mm256_unpackhi_ps(a, b), 0x20);
  }
  static STINT_INLINE F ZipHigh(F a, F b) {
    return _mm256_permute2f128_ps(_mm256_unpacklo_ps(a, b),
                                  _mm256_unpackhi_ps(a, b), 0x31);
  }
};

}  // namespace

void PackAttentionF32Avx2(const AttentionF32Head& head) {
  PackAttention<Avx2Zip, 2>(head);
}

void AttentionF32Avx2(const AttentionF32Rows& rows) {
  RunAttention<Avx2, 6, 2>(rows);
}

}  // namespace stint
