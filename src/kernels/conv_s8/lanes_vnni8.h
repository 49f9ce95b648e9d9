#pragma once
// The vectors of byte convolutions (finish.h) on VNNI's halves of 256 bits: 8
// channels. Only for files compiled for AVX-512 with VNNI.

#include "kernels/conv_s8/finish.h"
#include "kernels/gemm_s8/lanes_avx2.h"

namespace stint {

struct ConvVnni8S8 : Avx2S8 {
  static constexpr bool kHasPieces = false;
  using A = __m256i;
  using B = __m256i;

  static STINT_INLINE A Broadcast(const uint8_t* p) {
    int32_t four;
    std::memcpy(&four, p, sizeof(four));
    return _mm256_set1_epi32(four);
  }
  static STINT_INLINE B LoadB(const int8_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  static STINT_INLINE I Dot(I acc, A a, B b) {
    return reinterpret_cast<I>(
        _mm256_dpbusd_epi32(reinterpret_cast<__m256i>(acc), a, b));
  }

  class Bytes {
   public:
    STINT_INLINE Bytes(const ConvS8Output& out, int64_t channels)
        : zero_(_mm_set1_epi16(static_cast<int16_t>(out.zero))),
          lo_(_mm_set1_epi8(static_cast<char>(out.lo))),
          hi_(_mm_set1_epi8(static_cast<char>(out.hi))),
          mask_(channels >= 8 ? 0xff : (1 << channels) - 1) {}

    template <LaneOrder kOrder, int kVecs>
    STINT_INLINE void Store(uint8_t* p, const I (&q)[kVecs]) const {
      static_assert(kOrder == LaneOrder::kChannels && kVecs == 1);
      const auto lanes = reinterpret_cast<__m256i>(q[0]);
      const __m128i words =
          _mm_adds_epi16(_mm_packs_epi32(_mm256_castsi256_si128(lanes),
                                         _mm256_extracti128_si256(lanes, 1)),
                         zero_);
      const __m128i bytes =
          _mm_max_epu8(lo_, _mm_min_epu8(hi_, _mm_packus_epi16(words, words)));
      _mm_mask_storeu_epi8(p, mask_, bytes);
    }

   private:
    __m128i zero_;
    __m128i lo_;
    __m128i hi_;
    __mmask16 mask_;
  };
};

}  // namespace stint
