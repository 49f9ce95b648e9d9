#include <immintrin.h>

#include "kernels/gemm_codes/bit_matrices.h"

namespace stint {
namespace {

struct Avx2Codes {
  typedef uint64_t Vector __attribute__((vector_size(32)));

  // Parts of 16 values, chosen among by the bits above the lowest four.
  template <int kBits>
  struct Values {
    static constexpr int kParts = kBits <= 4 ? 1 : 1 << (kBits - 4);
    explicit Values(const int8_t* v) {
      alignas(16) int8_t bytes[16 * kParts] = {};
      std::memcpy(bytes, v, size_t{1} << kBits);
      for (int i = 0; i < kParts; ++i) {
        parts[i] = _mm256_broadcastsi128_si256(
            _mm_load_si128(reinterpret_cast<const __m128i*>(bytes + 16 * i)));
      }
    }

    // Parts kFirst and on, kCount of them, by bits kBit and lower.
    template <int kFirst, int kCount>
    STINT_INLINE __m256i Choose(__m256i low, __m256i codes) const {
      if constexpr (kCount == 1) {
        return _mm256_shuffle_epi8(parts[kFirst], low);
      } else {
        constexpr int kHalf = kCount / 2;
        constexpr int kShift = kCount == 2   ? 3
                               : kCount == 4 ? 2
                               : kCount == 8 ? 1
                                             : 0;
        return _mm256_blendv_epi8(Choose<kFirst, kHalf>(low, codes),
                                  Choose<kFirst + kHalf, kHalf>(low, codes),
                                  _mm256_slli_epi16(codes, kShift));
      }
    }
    STINT_INLINE Vector Of(Vector codes) const {
      const __m256i x = reinterpret_cast<__m256i>(codes);
      const __m256i low =
          kBits <= 4 ? x : _mm256_and_si256(x, _mm256_set1_epi8(15));
      return reinterpret_cast<Vector>(Choose<0, kParts>(low, x));
    }
    __m256i parts[kParts];
  };

  // Eight outputs per vector.
  struct Sums {
    STINT_INLINE void Add(Vector values, int vector) {
      const __m256i pairs = _mm256_maddubs_epi16(
          _mm256_set1_epi8(1), reinterpret_cast<__m256i>(values));
      sums[vector] = _mm256_add_epi32(
          sums[vector], _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
    }
    STINT_INLINE void AddTo(int32_t* to) const {
      for (int i = 0; i < 2; ++i) {
        __m256i* at = reinterpret_cast<__m256i*>(to + 8 * i);
        _mm256_storeu_si256(at,
                            _mm256_add_epi32(_mm256_loadu_si256(at), sums[i]));
      }
    }
    __m256i sums[2] = {};
  };
};

}  // namespace

void DecodeStripAvx2(const StripCodes& codes, const StripWords& to,
                     int32_t* sums) {
  DecodeStripWith<Avx2Codes>(codes, to, sums);
}

}  // namespace stint
