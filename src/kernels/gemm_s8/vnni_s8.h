#pragma once
// The int8 operations of tile.h on AVX-512 VNNI. Only for files compiled for
// that ISA.

#include "kernels/gemm_s8/tile.h"
#include "kernels/simd/avx512.h"

namespace stint {

struct VnniS8 : Avx512 {
  static constexpr int kTileVecs = 3;
  using A = __m512i;
  using B = __m512i;

  static STINT_INLINE A Broadcast(const uint8_t* p) {
    int32_t four;
    std::memcpy(&four, p, sizeof(four));
    return _mm512_set1_epi32(four);
  }
  static STINT_INLINE B LoadB(const int8_t* p) { return _mm512_loadu_si512(p); }
  static STINT_INLINE I Dot(I acc, A a, B b) {
    return reinterpret_cast<I>(
        _mm512_dpbusd_epi32(reinterpret_cast<__m512i>(acc), a, b));
  }
  static STINT_INLINE I LoadSums(const int32_t* p) {
    return reinterpret_cast<I>(_mm512_loadu_si512(p));
  }
  static STINT_INLINE F ToFloat(I x) { return __builtin_convertvector(x, F); }
  static STINT_INLINE I Round(F x) {
    return reinterpret_cast<I>(_mm512_maskz_cvtps_epi32(kAll, x));
  }
  static STINT_INLINE void StoreBytes(uint8_t* p, I x) {
    _mm_storeu_si128(
        reinterpret_cast<__m128i*>(p),
        _mm512_maskz_cvtepi32_epi8(kAll, reinterpret_cast<__m512i>(x)));
  }
  static STINT_INLINE void StoreBytesN(uint8_t* p, I x, int64_t n) {
    _mm512_mask_cvtepi32_storeu_epi8(p, Mask(n), reinterpret_cast<__m512i>(x));
  }
};

}  // namespace stint
