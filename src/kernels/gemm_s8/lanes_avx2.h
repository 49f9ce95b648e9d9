#pragma once
// Registers of bytes and int32 sums for AVX2; tile.h has the contract. Only for
// files compiled for that ISA.

#include <cstring>

#include "kernels/simd/avx2.h"

namespace stint {

// vpmaddubsw would saturate; bytes are widened to 16 bits instead, those of
// even and of odd k apart, and multiplied by vpmaddwd, which is exact.
struct Avx2S8 : Avx2 {
  static constexpr int kTileVecs = 2;
  struct A {
    __m256i even;
    __m256i odd;
  };
  using B = A;

  static STINT_INLINE A Broadcast(const uint8_t* p) {
    int32_t four;
    std::memcpy(&four, p, sizeof(four));
    const __m256i x = _mm256_set1_epi32(four);
    return {_mm256_and_si256(x, _mm256_set1_epi16(0xff)),
            _mm256_srli_epi16(x, 8)};
  }
  static STINT_INLINE B LoadB(const int8_t* p) {
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    return {_mm256_srai_epi16(_mm256_slli_epi16(x, 8), 8),
            _mm256_srai_epi16(x, 8)};
  }
  static STINT_INLINE I Dot(I acc, const A& a, const B& b) {
    return acc + reinterpret_cast<I>(_mm256_madd_epi16(a.even, b.even)) +
           reinterpret_cast<I>(_mm256_madd_epi16(a.odd, b.odd));
  }
  static STINT_INLINE I LoadSums(const int32_t* p) {
    return reinterpret_cast<I>(
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  static STINT_INLINE I LoadBytes(const uint8_t* p) {
    return reinterpret_cast<I>(_mm256_cvtepu8_epi32(
        _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
  }
  static STINT_INLINE F ToFloat(I x) { return __builtin_convertvector(x, F); }
  static STINT_INLINE I Round(F x) {
    return reinterpret_cast<I>(_mm256_cvtps_epi32(x));
  }
  static STINT_INLINE int64_t Bytes(I x) {
    const __m256i low = _mm256_shuffle_epi8(reinterpret_cast<__m256i>(x),
                                            _mm256_set1_epi32(0x0c080400));
    return _mm_cvtsi128_si64(_mm_unpacklo_epi32(
        _mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1)));
  }
  static STINT_INLINE void StoreBytes(uint8_t* p, I x) {
    const int64_t bytes = Bytes(x);
    std::memcpy(p, &bytes, sizeof(bytes));
  }
  static STINT_INLINE void StoreBytesN(uint8_t* p, I x, int64_t n) {
    const int64_t bytes = Bytes(x);
    std::memcpy(p, &bytes, static_cast<size_t>(n));
  }
};

}  // namespace stint
