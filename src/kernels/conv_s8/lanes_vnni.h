#pragma once
// The vectors of byte convolutions (finish.h) on AVX-512 with VNNI. Only for
// files compiled for that ISA.

#include "kernels/conv_s8/finish.h"
#include "kernels/gemm_s8/lanes_vnni.h"

namespace stint {

struct ConvVnniS8 : VnniS8 {
  static constexpr bool kHasPieces = true;
  static STINT_INLINE F Piecewise(const CurveTable& table, F x) {
    const F at = Clamp<Avx512>(
        Fma(x, Set1(CurveTable::kSlope), Set1(CurveTable::kOffset)), 0, 15.5f);
    const __m512i piece = _mm512_maskz_cvttps_epi32(kAll, at);
    const auto look = [&](const float* values) {
      return _mm512_maskz_permutexvar_ps(kAll, piece, Load(values));
    };
    return Fma(Fma(look(table.c[2]), x, look(table.c[1])), x, look(table.c[0]));
  }

  // Packing works in lanes of 128 bits: bytes come out as the 4 x 4 transpose
  // of the groups of four that the vectors hold.
  class Bytes {
   public:
    STINT_INLINE Bytes(const ConvS8Output& out, int64_t channels)
        : zero_(_mm512_set1_epi16(static_cast<int16_t>(out.zero))),
          lo_(_mm512_set1_epi8(static_cast<char>(out.lo))),
          hi_(_mm512_set1_epi8(static_cast<char>(out.hi))),
          mask_(channels >= 64 ? ~0ull : (1ull << channels) - 1) {}

    template <LaneOrder kOrder, int kVecs>
    STINT_INLINE void Store(uint8_t* p, const I (&q)[kVecs]) const {
      __m512i bytes = Pack(q);
      if (kOrder == LaneOrder::kChannels) {
        bytes = _mm512_maskz_permutexvar_epi32(
            kAll,
            _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11,
                              15),
            bytes);
      }
      _mm512_mask_storeu_epi8(p, mask_, bytes);
    }

   private:
    template <int kVecs>
    STINT_INLINE __m512i Pack(const I (&q)[kVecs]) const {
      const auto at = [&](int v) {
        return v < kVecs ? reinterpret_cast<__m512i>(q[v < kVecs ? v : 0])
                         : _mm512_setzero_si512();
      };
      const __m512i low =
          _mm512_adds_epi16(_mm512_packs_epi32(at(0), at(1)), zero_);
      const __m512i high =
          _mm512_adds_epi16(_mm512_packs_epi32(at(2), at(3)), zero_);
      return _mm512_max_epu8(
          lo_, _mm512_min_epu8(hi_, _mm512_packus_epi16(low, high)));
    }
    __m512i zero_;
    __m512i lo_;
    __m512i hi_;
    __mmask64 mask_;
  };

  // Four columns of 64 channels, the four bytes of a channel side by side.
  static STINT_INLINE void Quads(const uint8_t* p, int64_t step,
                                 A (&quads)[4]) {
    Interleave(_mm512_loadu_si512(p), _mm512_loadu_si512(p + step),
               _mm512_loadu_si512(p + 2 * step),
               _mm512_loadu_si512(p + 3 * step), quads);
  }
  static STINT_INLINE void Widen(const uint8_t* p, I (&lanes)[4]) {
    const __m512i zero = _mm512_setzero_si512();
    __m512i quads[4];
    Interleave(_mm512_loadu_si512(p), zero, zero, zero, quads);
    for (int v = 0; v < 4; ++v) lanes[v] = reinterpret_cast<I>(quads[v]);
  }

 private:
  static STINT_INLINE void Interleave(__m512i a, __m512i b, __m512i c,
                                      __m512i d, __m512i (&quads)[4]) {
    const __m512i ab_low = _mm512_unpacklo_epi8(a, b);
    const __m512i ab_high = _mm512_unpackhi_epi8(a, b);
    const __m512i cd_low = _mm512_unpacklo_epi8(c, d);
    const __m512i cd_high = _mm512_unpackhi_epi8(c, d);
    quads[0] = _mm512_unpacklo_epi16(ab_low, cd_low);
    quads[1] = _mm512_unpackhi_epi16(ab_low, cd_low);
    quads[2] = _mm512_unpacklo_epi16(ab_high, cd_high);
    quads[3] = _mm512_unpackhi_epi16(ab_high, cd_high);
  }
};

}  // namespace stint
