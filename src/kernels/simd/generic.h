#pragma once
// Four-lane float registers in portable vector syntax: SSE2 on x86-64, NEON on
// AArch64. Generic, Avx2 and Avx512 offer the same static functions, so one
// kernel source is a template over them.

#include <cstdint>
#include <cstring>

#define STINT_INLINE inline __attribute__((always_inline))
#define STINT_LAMBDA __attribute__((always_inline))

namespace stint {

struct Generic {
  static constexpr int kWidth = 4;
  typedef float F __attribute__((vector_size(16)));
  typedef int32_t I __attribute__((vector_size(16)));

  static STINT_INLINE F Set1(float x) { return F{x, x, x, x}; }
  static STINT_INLINE F Load(const float* p) {
    F v;
    std::memcpy(&v, p, sizeof(v));
    return v;
  }
  static STINT_INLINE void Store(float* p, F v) {
    std::memcpy(p, &v, sizeof(v));
  }
  // The first n lanes, 0 < n <= kWidth; the others read as 0.
  static STINT_INLINE F LoadN(const float* p, int64_t n) {
    F v = Set1(0);
    for (int64_t i = 0; i < n; ++i) v[i] = p[i];
    return v;
  }
  static STINT_INLINE void StoreN(float* p, F v, int64_t n) {
    for (int64_t i = 0; i < n; ++i) p[i] = v[i];
  }
  // Lanes p[0], p[2], p[4], ...; reads 2 * kWidth floats.
  static STINT_INLINE F LoadEven(const float* p) {
    return F{p[0], p[2], p[4], p[6]};
  }
  // The first n of them, 0 < n <= kWidth; reads 2 * n - 1 floats.
  static STINT_INLINE F LoadEvenN(const float* p, int64_t n) {
    F v = Set1(0);
    for (int64_t i = 0; i < n; ++i) v[i] = p[2 * i];
    return v;
  }
  static STINT_INLINE F Fma(F a, F b, F c) { return a * b + c; }
  // Min and Max return b when either is NaN.
  static STINT_INLINE F Min(F a, F b) { return a < b ? a : b; }
  static STINT_INLINE F Max(F a, F b) { return a > b ? a : b; }
  static STINT_INLINE F Sqrt(F a) {
    for (int i = 0; i < kWidth; ++i) a[i] = __builtin_sqrtf(a[i]);
    return a;
  }
  // a >= b ? yes : no, lane by lane.
  static STINT_INLINE F SelectGe(F a, F b, F yes, F no) {
    return a >= b ? yes : no;
  }
};

}  // namespace stint
