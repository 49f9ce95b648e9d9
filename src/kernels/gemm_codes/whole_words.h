#pragma once
// The walk of a decoder over a strip: whole groups of words by the kernel of an
// instruction set, what is left of them through a copy in memory.

#include <cstring>

#include "kernels/gemm_codes/code_decoder.h"
#include "kernels/simd/generic.h"

namespace stint {

// A plane is fetched so far ahead: with 2 to 4 cycles per word, the time that
// memory needs.
inline constexpr int64_t kPlanePrefetchWords = 128;

// Calls body(std::integral_constant<int, bits>) for the bits of a strip.
template <class Body>
STINT_INLINE void WithBits(int bits, Body body) {
  switch (bits) {
    case 2:
      return body(std::integral_constant<int, 2>{});
    case 3:
      return body(std::integral_constant<int, 3>{});
    case 4:
      return body(std::integral_constant<int, 4>{});
    case 5:
      return body(std::integral_constant<int, 5>{});
    case 6:
      return body(std::integral_constant<int, 6>{});
    case 7:
      return body(std::integral_constant<int, 7>{});
    default:
      return body(std::integral_constant<int, 8>{});
  }
}

// Words [begin, end) of a strip, fewer than kGroup or up to the last input,
// which may not fill the last word: copies of planes that a kernel may read
// kGroup words of, and values that it may write as many of.
template <int kGroup>
struct StripTail {
  STINT_INLINE StripTail(const StripCodes& codes, int64_t begin, int64_t end)
      : begin(begin), words(end - begin), inputs(codes.inputs - 4 * begin) {
    std::memset(planes, 0, sizeof(planes));
    for (int p = 0; p < codes.bits; ++p) {
      std::memcpy(planes[p], codes.planes[p] + begin,
                  static_cast<size_t>(words) * 8);
    }
  }
  // Both are called once `values` are decoded.
  STINT_INLINE void ClearPadding() {
    for (int64_t i = inputs; i < 4 * words; ++i) {
      for (int o = 0; o < 16; ++o) values[i / 4][4 * o + i % 4] = 0;
    }
  }
  STINT_INLINE void Store(const StripWords& to, int32_t* sums) {
    ClearPadding();
    for (int64_t w = 0; w < words; ++w) {
      std::memcpy(to.At(begin + w), values[w], 64);
      for (int i = 0; i < 64; ++i) sums[i / 4] += values[w][i];
    }
  }

  int64_t begin;
  int64_t words;
  int64_t inputs;
  uint64_t planes[kPlaneMaxBits][kGroup];
  alignas(64) int8_t values[kGroup][64];
};

// Walks over the runs of a strip: whole(begin, end, at) decodes as many words
// from `begin` as make groups, to `at` and on, and returns the first it left;
// rest(begin, end) decodes those, and words that inputs do not fill.
template <class Whole, class Rest>
STINT_INLINE void ForRuns(const StripCodes& codes, const StripWords& to,
                          Whole whole, Rest rest) {
  const int64_t filled = codes.inputs / kPlaneWordInputs;
  const int64_t words = codes.words();
  for (int64_t w = 0; w < words;) {
    const int64_t end = to.RunFrom(w) < words - w ? w + to.RunFrom(w) : words;
    const int64_t left = whole(w, end < filled ? end : filled, to.At(w));
    if (left < end) rest(left, end);
    w = end;
  }
}

}  // namespace stint
