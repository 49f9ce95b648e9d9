#pragma once
// Sixteen-lane float registers for AVX-512. Only for files compiled for that
// ISA; see generic.h for the contract.

#include <immintrin.h>

#include <cstdint>

#include "kernels/simd/gelu_table.h"
#include "kernels/simd/generic.h"

namespace stint {

struct Avx512 {
  static constexpr int kWidth = 16;
  static constexpr __mmask16 kAll = 0xffff;
  using F = __m512;
  typedef int32_t I __attribute__((vector_size(64)));

  static STINT_INLINE F Set1(float x) { return _mm512_set1_ps(x); }
  static STINT_INLINE F Load(const float* p) { return _mm512_loadu_ps(p); }
  static STINT_INLINE void Store(float* p, F v) { _mm512_storeu_ps(p, v); }
  static STINT_INLINE __mmask16 Mask(int64_t n) {
    return static_cast<__mmask16>((1u << n) - 1);
  }
  static STINT_INLINE F LoadN(const float* p, int64_t n) {
    return _mm512_maskz_loadu_ps(Mask(n), p);
  }
  static STINT_INLINE void StoreN(float* p, F v, int64_t n) {
    _mm512_mask_storeu_ps(p, Mask(n), v);
  }
  static STINT_INLINE F Even(F a, F b) {
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18,
                                           20, 22, 24, 26, 28, 30);
    return _mm512_permutex2var_ps(a, even, b);
  }
  static STINT_INLINE F LoadEven(const float* p) {
    return Even(Load(p), Load(p + 16));
  }
  static STINT_INLINE F LoadEvenN(const float* p, int64_t n) {
    const uint32_t mask = 0xffffffffu >> (33 - 2 * n);
    return Even(
        _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask), p),
        _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask >> 16), p + 16));
  }
  static STINT_INLINE F Fma(F a, F b, F c) { return _mm512_fmadd_ps(a, b, c); }
  // The zero-masked forms: GCC 12 warns about its own undefined operand in the
  // plain ones, and emits the same instruction.
  static STINT_INLINE F Min(F a, F b) {
    return _mm512_maskz_min_ps(kAll, a, b);
  }
  static STINT_INLINE F Max(F a, F b) {
    return _mm512_maskz_max_ps(kAll, a, b);
  }
  // Normal numbers only. A division of 16 lanes holds the divider up for 16
  // cycles, this takes 2.
  static STINT_INLINE F Reciprocal(F a) {
    const F guess = _mm512_maskz_rcp14_ps(kAll, a);
    return Fma(guess, Fma(-a, guess, Set1(1.0f)), guess);
  }
  // x * Phi(x) within 2e-7 of max(1, |x|): relu(x) - |x| * (1 - Phi(|x|)), the
  // latter by a polynomial whose coefficients two registers hold for all
  // segments. Half the time of the rational function.
  static STINT_INLINE F GeluErf(F x) {
    const F zero = Set1(0.0f);
    const F a = Min(Max(x, zero - x) * Set1(kGeluSegmentsPerUnit),
                    Set1(kGeluSegments - 1e-5f));
    const __m512i segment = _mm512_maskz_cvttps_epi32(kAll, a);
    const F t = a - _mm512_maskz_cvtepi32_ps(kAll, segment);
    F tail = GeluCoefficient(4, segment);
    tail = Fma(tail, t, GeluCoefficient(3, segment));
    tail = Fma(tail, t, GeluCoefficient(2, segment));
    tail = Fma(tail, t, GeluCoefficient(1, segment));
    tail = Fma(tail, t, GeluCoefficient(0, segment));
    return Max(zero, x) - tail;
  }
  static STINT_INLINE F GeluCoefficient(int power, __m512i segment) {
    const float* table = kGeluTail[power];
    return _mm512_permutex2var_ps(Load(table), segment, Load(table + 16));
  }
  static STINT_INLINE F Sqrt(F a) { return _mm512_maskz_sqrt_ps(kAll, a); }
  static STINT_INLINE F SelectGe(F a, F b, F yes, F no) {
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_GE_OQ), no, yes);
  }

  // 2^x within 2 ulp, infinity and 0 beyond what a float holds: 2^(x - floor x)
  // by a minimax polynomial, times 2^(floor x).
  static STINT_INLINE F Power2(F x) {
    constexpr int kFloor = 1;
    const F r = _mm512_maskz_reduce_ps(kAll, x, kFloor);
    F p = Set1(1.8775767e-3f);
    p = Fma(p, r, Set1(8.9893397e-3f));
    p = Fma(p, r, Set1(5.5826318e-2f));
    p = Fma(p, r, Set1(2.4015361e-1f));
    p = Fma(p, r, Set1(6.9315308e-1f));
    p = Fma(p, r, Set1(0.99999994f));
    return _mm512_maskz_scalef_ps(kAll, p, x);
  }
  // 1 / x within 2 ulp for normal x and 1 / x: the estimate and one step of
  // Newton's, where a division takes 16 cycles.
  static STINT_INLINE F Inverse(F x) {
    const F y = _mm512_maskz_rcp14_ps(kAll, x);
    return Fma(y, _mm512_fnmadd_ps(x, y, Set1(1.0f)), y);
  }
};

}  // namespace stint
