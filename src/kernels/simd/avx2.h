#pragma once
// Eight-lane float registers for AVX2 with FMA. Only for files compiled for
// that ISA; see generic.h for the contract.

#include <immintrin.h>

#include <cstdint>

#include "kernels/simd/generic.h"

namespace stint {

struct Avx2 {
  static constexpr int kWidth = 8;
  using F = __m256;
  typedef int32_t I __attribute__((vector_size(32)));

  static STINT_INLINE F Set1(float x) { return _mm256_set1_ps(x); }
  static STINT_INLINE F Load(const float* p) { return _mm256_loadu_ps(p); }
  static STINT_INLINE void Store(float* p, F v) { _mm256_storeu_ps(p, v); }
  static STINT_INLINE __m256i Mask(int64_t n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static STINT_INLINE F LoadN(const float* p, int64_t n) {
    return _mm256_maskload_ps(p, Mask(n));
  }
  static STINT_INLINE void StoreN(float* p, F v, int64_t n) {
    _mm256_maskstore_ps(p, Mask(n), v);
  }
  static STINT_INLINE F Even(F a, F b) {
    const F pairs = _mm256_shuffle_ps(a, b, 0x88);
    return _mm256_castpd_ps(
        _mm256_permute4x64_pd(_mm256_castps_pd(pairs), 0xd8));
  }
  static STINT_INLINE F LoadEven(const float* p) {
    return Even(Load(p), Load(p + 8));
  }
  static STINT_INLINE F LoadEvenN(const float* p, int64_t n) {
    return Even(LoadN(p, 2 * n - 1), LoadN(p + 8, 2 * n - 9));
  }
  static STINT_INLINE F Fma(F a, F b, F c) { return _mm256_fmadd_ps(a, b, c); }
  static STINT_INLINE F Min(F a, F b) { return _mm256_min_ps(a, b); }
  static STINT_INLINE F Max(F a, F b) { return _mm256_max_ps(a, b); }
  static STINT_INLINE F Sqrt(F a) { return _mm256_sqrt_ps(a); }
  static STINT_INLINE F SelectGe(F a, F b, F yes, F no) {
    return _mm256_blendv_ps(no, yes, _mm256_cmp_ps(a, b, _CMP_GE_OQ));
  }
};

}  // namespace stint
