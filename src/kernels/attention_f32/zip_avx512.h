#pragma once
// Interleaved vectors for transpose.h; for files compiled for AVX-512.

#include "kernels/simd/avx512.h"

namespace stint {

struct Avx512Zip : Avx512 {
  static STINT_INLINE F ZipLow(F a, F b) {
    const __m512i lanes = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20,
                                            5, 21, 6, 22, 7, 23);
    return _mm512_permutex2var_ps(a, lanes, b);
  }
  static STINT_INLINE F ZipHigh(F a, F b) {
    const __m512i lanes = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12,
                                            28, 13, 29, 14, 30, 15, 31);
    return _mm512_permutex2var_ps(a, lanes, b);
  }
};

}  // namespace stint
