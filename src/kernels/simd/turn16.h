#pragma once
// 16 x 16 numbers of 4 bytes with rows and columns exchanged, on AVX-512. Only
// for files compiled for it.

#include "kernels/simd/avx512.h"

namespace stint {

struct Turn16 {
  static constexpr int kBlock = 16;

  // Four steps that each exchange half of the lanes of pairs of registers:
  // 1, 2, 4 and 8 lanes apart.
  static STINT_INLINE void Turn(const float* from, int64_t pitch, float* to,
                                int64_t to_pitch) {
    __m512 a[16], b[16];
    for (int i = 0; i < 16; ++i) a[i] = _mm512_loadu_ps(from + i * pitch);
    for (int i = 0; i < 16; i += 2) {
      b[i] = _mm512_maskz_unpacklo_ps(0xffff, a[i], a[i + 1]);
      b[i + 1] = _mm512_maskz_unpackhi_ps(0xffff, a[i], a[i + 1]);
    }
    for (int i = 0; i < 16; i += 4) {
      for (int k = 0; k < 2; ++k) {
        a[i + 2 * k] = Pairs(b[i + k], b[i + k + 2], 0x44);
        a[i + 2 * k + 1] = Pairs(b[i + k], b[i + k + 2], 0xee);
      }
    }
    for (int i = 0; i < 16; i += 8) {
      for (int k = 0; k < 4; ++k) {
        b[i + k] =
            _mm512_maskz_shuffle_f32x4(0xffff, a[i + k], a[i + k + 4], 0x88);
        b[i + k + 4] =
            _mm512_maskz_shuffle_f32x4(0xffff, a[i + k], a[i + k + 4], 0xdd);
      }
    }
    for (int k = 0; k < 8; ++k) {
      a[k] = _mm512_maskz_shuffle_f32x4(0xffff, b[k], b[k + 8], 0x88);
      a[k + 8] = _mm512_maskz_shuffle_f32x4(0xffff, b[k], b[k + 8], 0xdd);
    }
    for (int i = 0; i < 16; ++i) _mm512_storeu_ps(to + i * to_pitch, a[i]);
  }

 private:
  static STINT_INLINE __m512 Pairs(__m512 x, __m512 y, int which) {
    const auto dx = _mm512_castps_pd(x), dy = _mm512_castps_pd(y);
    return _mm512_castpd_ps(which == 0x44
                                ? _mm512_maskz_unpacklo_pd(0xff, dx, dy)
                                : _mm512_maskz_unpackhi_pd(0xff, dx, dy));
  }
};

}  // namespace stint
