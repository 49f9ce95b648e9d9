#pragma once
// The int8 operations of tile.h in portable vector syntax.

#include "kernels/gemm_s8/tile.h"
#include "kernels/simd/generic.h"

namespace stint {

// Bytes are widened to 16 bits, those of even and of odd k apart, so that the
// compiler may use pmaddwd or its like.
struct GenericS8 : Generic {
  static constexpr int kTileVecs = 2;
  typedef int16_t Wide __attribute__((vector_size(16)));
  typedef uint16_t WideU __attribute__((vector_size(16)));
  struct A {
    Wide even;
    Wide odd;
  };
  using B = A;

  static STINT_INLINE A Broadcast(const uint8_t* p) {
    int32_t four;
    std::memcpy(&four, p, sizeof(four));
    const WideU x = reinterpret_cast<WideU>(I{four, four, four, four});
    return {reinterpret_cast<Wide>(x & 0xff), reinterpret_cast<Wide>(x >> 8)};
  }
  static STINT_INLINE B LoadB(const int8_t* p) {
    Wide x;
    std::memcpy(&x, p, sizeof(x));
    const WideU up = reinterpret_cast<WideU>(x) << 8;
    return {reinterpret_cast<Wide>(up) >> 8, x >> 8};
  }
  // Sums of neighboring products.
  static STINT_INLINE I Pairs(Wide a, Wide b) {
#if defined(__SSE2__)
    return reinterpret_cast<I>(__builtin_ia32_pmaddwd128(a, b));
#else
    I sum;
    for (int i = 0; i < kWidth; ++i) {
      sum[i] = a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1];
    }
    return sum;
#endif
  }
  static STINT_INLINE I Dot(I acc, const A& a, const B& b) {
    return acc + Pairs(a.even, b.even) + Pairs(a.odd, b.odd);
  }
  static STINT_INLINE I LoadSums(const int32_t* p) {
    I x;
    std::memcpy(&x, p, sizeof(x));
    return x;
  }
  static STINT_INLINE F ToFloat(I x) { return __builtin_convertvector(x, F); }
  // |x| < 2^22: adding 1.5 * 2^23 leaves the integer in the low mantissa bits.
  static STINT_INLINE I Round(F x) {
    const F magic = Set1(12582912.0f);
    return reinterpret_cast<I>(x + magic) - reinterpret_cast<I>(magic);
  }
  static STINT_INLINE void StoreBytes(uint8_t* p, I x) {
    StoreBytesN(p, x, kWidth);
  }
  static STINT_INLINE void StoreBytesN(uint8_t* p, I x, int64_t n) {
    for (int64_t i = 0; i < n; ++i) p[i] = static_cast<uint8_t>(x[i]);
  }
};

}  // namespace stint
