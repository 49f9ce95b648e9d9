#include "kernels/conv_s8/depthwise_rows.h"
#include "kernels/conv_s8/tile.h"
#include "kernels/gemm_s8/lanes_avx2.h"

namespace stint {
namespace {

// Products are exact: bytes are widened to 16 bits, as in gemm_s8.
struct Bytes8 : Avx2S8 {
  static constexpr bool kHasPieces = false;

  class Bytes {
   public:
    STINT_INLINE Bytes(const ConvS8Output& out, int64_t channels)
        : zero_(_mm256_set1_epi16(static_cast<int16_t>(out.zero))),
          lo_(_mm256_set1_epi8(static_cast<char>(out.lo))),
          hi_(_mm256_set1_epi8(static_cast<char>(out.hi))),
          channels_(channels) {}

    template <LaneOrder kOrder, int kVecs>
    STINT_INLINE void Store(uint8_t* p, const I (&q)[kVecs]) const {
      const auto at = [&](int v) {
        return v < kVecs ? reinterpret_cast<__m256i>(q[v < kVecs ? v : 0])
                         : _mm256_setzero_si256();
      };
      const __m256i low =
          _mm256_adds_epi16(_mm256_packs_epi32(at(0), at(1)), zero_);
      const __m256i high =
          _mm256_adds_epi16(_mm256_packs_epi32(at(2), at(3)), zero_);
      __m256i bytes = _mm256_max_epu8(
          lo_, _mm256_min_epu8(hi_, _mm256_packus_epi16(low, high)));
      if (kOrder == LaneOrder::kChannels) {
        bytes = _mm256_permutevar8x32_epi32(
            bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
      }
      if (channels_ >= 8 * kVecs && kVecs == 2) {
        return _mm_storeu_si128(reinterpret_cast<__m128i*>(p),
                                _mm256_castsi256_si128(bytes));
      }
      uint8_t all[32];
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(all), bytes);
      std::memcpy(
          p, all,
          static_cast<size_t>(channels_ < 8 * kVecs ? channels_ : 8 * kVecs));
    }

   private:
    __m256i zero_;
    __m256i lo_;
    __m256i hi_;
    int64_t channels_;
  };

  static STINT_INLINE void Quads(const uint8_t* p, int64_t step,
                                 A (&quads)[4]) {
    __m256i bytes[4];
    Interleave(Load32(p), Load32(p + step), Load32(p + 2 * step),
               Load32(p + 3 * step), bytes);
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      quads[v] = {_mm256_and_si256(bytes[v], _mm256_set1_epi16(0xff)),
                  _mm256_srli_epi16(bytes[v], 8)};
    }
  }
  static STINT_INLINE void Widen(const uint8_t* p, I (&lanes)[4]) {
    const __m256i zero = _mm256_setzero_si256();
    __m256i bytes[4];
    Interleave(Load32(p), zero, zero, zero, bytes);
    for (int v = 0; v < 4; ++v) lanes[v] = reinterpret_cast<I>(bytes[v]);
  }

 private:
  static STINT_INLINE __m256i Load32(const uint8_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  static STINT_INLINE void Interleave(__m256i a, __m256i b, __m256i c,
                                      __m256i d, __m256i (&quads)[4]) {
    const __m256i ab_low = _mm256_unpacklo_epi8(a, b);
    const __m256i ab_high = _mm256_unpackhi_epi8(a, b);
    const __m256i cd_low = _mm256_unpacklo_epi8(c, d);
    const __m256i cd_high = _mm256_unpackhi_epi8(c, d);
    quads[0] = _mm256_unpacklo_epi16(ab_low, cd_low);
    quads[1] = _mm256_unpackhi_epi16(ab_low, cd_low);
    quads[2] = _mm256_unpacklo_epi16(ab_high, cd_high);
    quads[3] = _mm256_unpackhi_epi16(ab_high, cd_high);
  }
};

// 8 sums, 2 pairs of weights, a pair of a pixel and the mask fill 15 of 16
// registers.
void RunTiles(const ConvS8Tiles& t) {
  if (t.vecs == 1) return RunConvS8Tiles<Bytes8, 4, 1>(t);
  RunConvS8Tiles<Bytes8, 4, 2>(t);
}

}  // namespace

extern const ConvS8TileSet kConvS8TilesAvx2;
const ConvS8TileSet kConvS8TilesAvx2 = {8, 2, RunTiles};

extern const ConvS8DepthwiseSet kConvS8DepthwiseAvx2;
const ConvS8DepthwiseSet kConvS8DepthwiseAvx2 = {8, RunDepthwiseS8<Bytes8>};

}  // namespace stint
