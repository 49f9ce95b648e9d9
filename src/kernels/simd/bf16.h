#pragma once
// Between float and bfloat16 on registers, for every vector width V: the bits
// that FloatToBFloat16 and BFloat16ToFloat of core/base give, but for subnormal
// numbers where V converts by itself (avx512_bf16.h).

#include <cstdint>
#include <cstring>

#include "kernels/simd/generic.h"

namespace stint {

// Integers of a vector of floats and of half its bytes.
template <int kWidth>
struct Bf16Lanes;
template <>
struct Bf16Lanes<4> {
  typedef uint32_t U __attribute__((vector_size(16)));
  typedef uint16_t H __attribute__((vector_size(8)));
};
template <>
struct Bf16Lanes<8> {
  typedef uint32_t U __attribute__((vector_size(32)));
  typedef uint16_t H __attribute__((vector_size(16)));
};
template <>
struct Bf16Lanes<16> {
  typedef uint32_t U __attribute__((vector_size(64)));
  typedef uint16_t H __attribute__((vector_size(32)));
};

template <class V>
struct Bf16 {
  using F = typename V::F;
  using U = typename Bf16Lanes<V::kWidth>::U;
  using H = typename Bf16Lanes<V::kWidth>::H;

  // The upper half of each lane is the rounded number, the lower any bits.
  static STINT_INLINE U RoundBits(F x) {
    const U bits = reinterpret_cast<U>(x);
    const U nearest = bits + 0x7fff + ((bits >> 16) & 1);
    const U quiet = bits | 0x400000;
    return (bits & 0x7fffffff) > 0x7f800000 ? quiet : nearest;
  }
  static STINT_INLINE H Round(F x) {
    if constexpr (requires { V::NarrowOne(x); }) {
      return reinterpret_cast<H>(V::NarrowOne(x));
    }
    return __builtin_convertvector(RoundBits(x) >> 16, H);
  }
  static STINT_INLINE void Store(uint16_t* p, H x) {
    std::memcpy(p, &x, sizeof(x));
  }
  // Both, `low` first.
  static STINT_INLINE void StoreTwo(uint16_t* p, F low, F high) {
    if constexpr (requires { V::NarrowTwo(low, high); }) {
      const auto both = V::NarrowTwo(low, high);
      std::memcpy(p, &both, sizeof(both));
    } else {
      Store(p, Round(low));
      Store(p + V::kWidth, Round(high));
    }
  }
  static STINT_INLINE F Widen(const uint16_t* p) {
    H half;
    std::memcpy(&half, p, sizeof(half));
    return reinterpret_cast<F>(__builtin_convertvector(half, U) << 16);
  }
};

}  // namespace stint
