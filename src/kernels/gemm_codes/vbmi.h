#pragma once
// Decoding in AVX-512 registers with VBMI, GFNI and VNNI. Only for files
// compiled for those.
//
// A bit matrix product turns 8 planes' bytes, side by side, into the codes of 8
// weights: 64 codes per instruction, or the codes of two words in the nibbles
// of 64 bytes (up to 4 bits), or of four words (2 bits). Bringing the planes'
// bytes together takes a permute and a masked load per plane, the value of a
// code one more permute up to 6 bits. So 64 weights of 4 bits take 2 cycles on
// the ports that also multiply, and a product with m rows takes m / 2.

#include <immintrin.h>

#include <array>
#include <type_traits>

#include "kernels/gemm_codes/whole_words.h"

namespace stint {

// The values of a dictionary in registers, looked up by the low bits of bytes.
template <int kBits>
struct VbmiValues {
  static constexpr int kRegisters = kBits <= 6 ? 1 : kBits == 7 ? 2 : 4;
  __m512i values[kRegisters];

  STINT_INLINE explicit VbmiValues(const int8_t* v) {
    if constexpr (kBits == 2) {
      int32_t four;
      std::memcpy(&four, v, sizeof(four));
      values[0] = _mm512_set1_epi32(four);
    } else if constexpr (kBits == 3) {
      int64_t eight;
      std::memcpy(&eight, v, sizeof(eight));
      values[0] = _mm512_set1_epi64(eight);
    } else if constexpr (kBits == 4) {
      values[0] = _mm512_maskz_broadcast_i32x4(
          0xffff, _mm_loadu_si128(reinterpret_cast<const __m128i*>(v)));
    } else if constexpr (kBits == 5) {
      values[0] = _mm512_maskz_broadcast_i64x4(
          0xff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(v)));
    } else {
      for (int i = 0; i < kRegisters; ++i) {
        values[i] = _mm512_loadu_si512(v + 64 * i);
      }
    }
  }

  STINT_INLINE __m512i Of(__m512i codes) const {
    if constexpr (kRegisters == 1) {
      return _mm512_maskz_permutexvar_epi8(~0ull, codes, values[0]);
    } else {
      const __m512i low = _mm512_permutex2var_epi8(values[0], codes, values[1]);
      if constexpr (kRegisters == 2) {
        return low;
      } else {
        return _mm512_mask_blend_epi8(
            _mm512_movepi8_mask(codes), low,
            _mm512_permutex2var_epi8(values[2], codes, values[3]));
      }
    }
  }
};

// Codes of neighboring words. Bit b of byte i of the product is bit i of byte
// 7 - b of the matrix, hence the orders below.
template <int kBits>
struct VbmiCodes {
  // Words of which one product holds the codes.
  static constexpr int kWords = kBits == 2 ? 4 : kBits <= 4 ? 2 : 1;
  static constexpr int kSlot = 8 / kWords;  // bits of a byte that each has
  // Words decoded together.
  static constexpr int kGroup = kBits == 2 ? 4 : 2;
  // Planes that a register of loads holds: 32 or 16 bytes of each.
  static constexpr int kLane = kBits == 2 ? 32 : 16;
  static constexpr int kLanes = 64 / kLane;

  using Bytes = std::array<uint8_t, 64>;

  // Where byte 8 * q + r of the matrices of words `word` and on is found among
  // planes kFirst and on.
  template <int kFirst>
  static constexpr Bytes Order(int word) {
    Bytes order{};
    for (int i = 0; i < 64; ++i) {
      const int q = i / 8, bit = 7 - i % 8;
      const int plane = kBits - 1 - bit % kSlot - kFirst;
      if (plane < 0 || plane >= kLanes) continue;
      order[i] =
          static_cast<uint8_t>(plane * kLane + (word + bit / kSlot) * 8 + q);
    }
    return order;
  }
  // The bytes that come from planes kLanes and on.
  static constexpr uint64_t Upper() {
    uint64_t mask = 0;
    for (int i = 0; i < 64; ++i) {
      if (kBits - 1 - (7 - i % 8) % kSlot >= kLanes) mask |= uint64_t{1} << i;
    }
    return mask;
  }

  static STINT_INLINE __m512i Register(const Bytes& bytes) {
    return _mm512_loadu_si512(bytes.data());
  }

  // kGroup words of up to kLanes planes.
  template <int kFirst>
  static STINT_INLINE __m512i LoadPlanes(const uint64_t* const* planes,
                                         int64_t word) {
    if constexpr (kBits == 2) {
      const auto load = [&](int p) STINT_LAMBDA {
        return _mm256_loadu_si256(
            reinterpret_cast<const __m256i*>(planes[p] + word));
      };
      const __m512i x = _mm512_maskz_broadcast_i64x4(0xff, load(0));
      return _mm512_mask_broadcast_i64x4(x, 0xf0, load(1));
    } else {
      const auto load = [&](int p) STINT_LAMBDA {
        return _mm_loadu_si128(
            reinterpret_cast<const __m128i*>(planes[kFirst + p] + word));
      };
      __m512i x = _mm512_maskz_broadcast_i32x4(0xffff, load(0));
      constexpr int kPlanes = kBits - kFirst;
      if constexpr (kPlanes > 1) {
        x = _mm512_mask_broadcast_i32x4(x, 0x00f0, load(1));
      }
      if constexpr (kPlanes > 2) {
        x = _mm512_mask_broadcast_i32x4(x, 0x0f00, load(2));
      }
      if constexpr (kPlanes > 3) {
        x = _mm512_mask_broadcast_i32x4(x, 0xf000, load(3));
      }
      return x;
    }
  }

  static STINT_INLINE __m512i Product(__m512i matrices) {
    return _mm512_gf2p8affine_epi64_epi8(
        _mm512_set1_epi64(static_cast<int64_t>(0x8040201008040201ull)),
        matrices, 0);
  }

  // The codes of kGroup words, in the low bits of bytes whose other bits have
  // any value.
  static STINT_INLINE void Load(const uint64_t* const* planes, int64_t word,
                                __m512i (&codes)[kGroup]) {
    static constexpr Bytes kLow[2] = {Order<0>(0), Order<0>(1)};
    const __m512i low = LoadPlanes<0>(planes, word);
    if constexpr (kBits <= 4) {
      codes[0] =
          Product(_mm512_maskz_permutexvar_epi8(~0ull, Register(kLow[0]), low));
#pragma GCC unroll 4
      for (int i = 1; i < kGroup; ++i) {
        codes[i] = _mm512_maskz_srli_epi16(~0u, codes[0],
                                           static_cast<unsigned>(i * kSlot));
      }
    } else {
      static constexpr Bytes kHigh[2] = {Order<4>(0), Order<4>(1)};
      const __m512i high = LoadPlanes<4>(planes, word);
#pragma GCC unroll 2
      for (int i = 0; i < kGroup; ++i) {
        const __m512i x =
            _mm512_maskz_permutexvar_epi8(~0ull, Register(kLow[i]), low);
        codes[i] = Product(
            _mm512_mask_permutexvar_epi8(x, Upper(), Register(kHigh[i]), high));
      }
    }
  }
};

// Planes and dictionary of a strip in registers.
template <int kBits>
struct VbmiStrip {
  using Codes = VbmiCodes<kBits>;
  static constexpr int kGroup = Codes::kGroup;

  // From word `first` on.
  STINT_INLINE VbmiStrip(const uint64_t* const* from, int64_t first,
                         const int8_t* dictionary)
      : values(dictionary) {
#pragma GCC unroll 8
    for (int p = 0; p < kBits; ++p) planes[p] = from[p] + first;
  }

  // Values of kGroup words; body(i, values) takes them.
  template <class Body>
  STINT_INLINE void Group(int64_t word, Body body) const {
    __m512i x[kGroup];
    Codes::Load(planes, word, x);
#pragma GCC unroll 4
    for (int i = 0; i < kGroup; ++i) body(i, values.Of(x[i]));
  }

  // Groups of words from `begin`, as many as end before `end`; returns the
  // first word left. body(word, at, values): `at` is word - begin modulo 4, a
  // constant where it counts.
  template <class Body>
  STINT_INLINE int64_t Groups(int64_t begin, int64_t end, Body body) const {
    int64_t w = begin;
    for (; w + 8 <= end; w += 8) {
#pragma GCC unroll 8
      for (int p = 0; p < kBits; ++p) {
        __builtin_prefetch(planes[p] + w + kPlanePrefetchWords);
      }
#pragma GCC unroll 4
      for (int at = 0; at < 8; at += kGroup) {
        Group(w + at, [&](int i, __m512i x)
                          STINT_LAMBDA { body(w + at + i, (at + i) % 4, x); });
      }
    }
    for (; w + kGroup <= end; w += kGroup) {
      Group(w, [&](int i, __m512i x) STINT_LAMBDA { body(w + i, i, x); });
    }
    return w;
  }

  // Decodes the words of a tail.
  STINT_INLINE void Decode(StripTail<4>* tail) const {
    VbmiStrip strip = *this;
    for (int p = 0; p < kBits; ++p) strip.planes[p] = tail->planes[p];
    for (int64_t w = 0; w < tail->words; w += kGroup) {
      strip.Group(w, [&](int i, __m512i x) STINT_LAMBDA {
        _mm512_storeu_si512(tail->values[w + i], x);
      });
    }
  }

  const uint64_t* planes[kBits];
  VbmiValues<kBits> values;
};

template <int kBits>
__attribute__((noinline)) void DecodeWithVbmi(const StripCodes& codes,
                                              const StripWords& to,
                                              int32_t* sums) {
  const VbmiStrip<kBits> strip(codes.planes, 0, codes.values);
  const __m512i ones = _mm512_set1_epi8(1);
  // Several sums: one would wait for itself.
  __m512i sum[4] = {};
  const int64_t step = to.word_bytes;
  ForRuns(
      codes, to,
      [&](int64_t begin, int64_t end, int8_t* at) STINT_LAMBDA {
        return strip.Groups(
            begin, end, [&](int64_t, int part, __m512i values) STINT_LAMBDA {
              _mm512_storeu_si512(at, values);
              at += step;
              sum[part] = _mm512_dpbusd_epi32(sum[part], ones, values);
            });
      },
      [&](int64_t begin, int64_t end) STINT_LAMBDA {
        StripTail<4> tail(codes, begin, end);
        strip.Decode(&tail);
        tail.Store(to, sums);
      });
  const __m512i total = _mm512_add_epi32(_mm512_add_epi32(sum[0], sum[1]),
                                         _mm512_add_epi32(sum[2], sum[3]));
  _mm512_storeu_si512(sums, _mm512_add_epi32(_mm512_loadu_si512(sums), total));
}

}  // namespace stint
