#include <immintrin.h>

#include "kernels/limits/loops.h"

namespace stint {

void SpinDotsVnni(int64_t steps) {
  __m512i sum[kLimitSums];
  for (int i = 0; i < kLimitSums; ++i) sum[i] = _mm512_setzero_si512();
  __m512i bytes = _mm512_set1_epi8(1);
  for (int64_t s = 0; s < steps; ++s) {
    asm volatile("" : "+m"(bytes));
#pragma GCC unroll 16
    for (int i = 0; i < kLimitSums; ++i) {
      sum[i] = _mm512_dpbusd_epi32(sum[i], bytes, bytes);
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < kLimitSums; ++i) asm volatile("" : : "m"(sum[i]));
}

}  // namespace stint
