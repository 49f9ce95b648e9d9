#pragma once
// Outliers in AVX-512 registers. Only for files compiled for it.
//
// Rows fill the lanes while outliers of 16 outputs are summed; the sums are
// then transposed to rows of results.

#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "kernels/gemm_codes/interleave.h"
#include "kernels/gemm_codes/outliers.h"
#include "kernels/gemm_s8/lanes_vnni.h"

namespace stint {

struct Bytes64 {
  __m512i x;
};
STINT_INLINE Bytes64 InterleaveLow(Bytes64 a, Bytes64 b) {
  return {_mm512_maskz_unpacklo_epi8(~0ull, a.x, b.x)};
}
STINT_INLINE Bytes64 InterleaveHigh(Bytes64 a, Bytes64 b) {
  return {_mm512_maskz_unpackhi_epi8(~0ull, a.x, b.x)};
}

template <int kLane>
STINT_INLINE void StoreLane(const Bytes64& bytes, uint8_t* to) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                   _mm512_maskz_extracti32x4_epi32(0xf, bytes.x, kLane));
}

// 16 rows from `i` of 64 columns from `j`.
STINT_INLINE void TransposeSquare(const RowColumns& rows, int64_t i,
                                  int64_t j) {
  using V = Bytes64;
  constexpr int64_t kColumns = sizeof(V);
  const int64_t filled = std::min<int64_t>(16, rows.m - i);
  const int64_t count = std::min<int64_t>(kColumns, rows.end - j);
  V square[16], columns[16];
  const uint8_t* from = rows.a + i * rows.lda + j;
  if (count == kColumns && filled == 16) {
#pragma GCC unroll 16
    for (int r = 0; r < 16; ++r) {
      std::memcpy(&square[r], from + r * rows.lda, kColumns);
    }
  } else {
    std::memset(static_cast<void*>(square), 0, sizeof(square));
    for (int64_t r = 0; r < filled; ++r) {
      std::memcpy(&square[r], from + r * rows.lda, static_cast<size_t>(count));
    }
  }
  InterleaveBytes(square, columns);
  uint8_t* to = rows.columns + j * rows.columns_pitch + i;
  const int64_t pitch = rows.columns_pitch;
  if (count == kColumns) {
#pragma GCC unroll 16
    for (int c = 0; c < 16; ++c, to += pitch) {
      StoreLane<0>(columns[c], to);
      StoreLane<1>(columns[c], to + 16 * pitch);
      StoreLane<2>(columns[c], to + 32 * pitch);
      StoreLane<3>(columns[c], to + 48 * pitch);
    }
  } else {
    for (int64_t c = 0; c < count; ++c, to += pitch) {
      const auto* column = reinterpret_cast<const char*>(&columns[c % 16]);
      std::memcpy(to, column + c / 16 * 16, 16);
    }
  }
}

// All rows of some columns first: what is written then stays in L1.
STINT_INLINE void TransposeToColumns(const RowColumns& rows) {
  for (int64_t j = rows.begin; j < rows.end; j += 64) {
    for (int64_t i = 0; i < rows.columns_pitch; i += 16) {
      TransposeSquare(rows, i, j);
    }
  }
}

// Sums of 16 outputs, rows side by side.
struct OutlierSums {
  alignas(64) float sums[kPlaneStripOutputs][kOutlierRows];

  STINT_INLINE explicit OutlierSums(const OutlierBlock& block) {
    for (int64_t o = 0; o < kPlaneStripOutputs; ++o) Clear(block, o);
  }

  STINT_INLINE void Add(const OutlierBlock& block, const CodedOutlier& outlier,
                        int64_t output) {
    const uint8_t* column = block.columns + outlier.input * block.columns_pitch;
    const __m512 value = _mm512_set1_ps(outlier.value);
    for (int64_t i = 0; i < block.rows; i += 16) {
      const __m512 x = VnniS8::ToFloat(VnniS8::LoadBytes(column + i)) -
                       _mm512_loadu_ps(block.zeros + i);
      const __m512 sum = _mm512_load_ps(sums[output] + i);
      _mm512_store_ps(sums[output] + i, _mm512_fmadd_ps(x, value, sum));
    }
  }
  STINT_INLINE void Clear(const OutlierBlock& block, int64_t output) {
    for (int64_t i = 0; i < block.rows; i += 16) {
      _mm512_store_ps(sums[output] + i, _mm512_setzero_ps());
    }
  }

  // Four rows of outputs `output` + 0, 4, 8 and 12.
  STINT_INLINE __m512 Quarters(int64_t output, int64_t row) const {
    const auto load = [&](int64_t o) STINT_LAMBDA {
      return _mm_load_ps(sums[output + o] + row);
    };
    __m512 x = _mm512_maskz_broadcast_f32x4(0xffff, load(0));
    x = _mm512_mask_broadcast_f32x4(x, 0x00f0, load(4));
    x = _mm512_mask_broadcast_f32x4(x, 0x0f00, load(8));
    return _mm512_mask_broadcast_f32x4(x, 0xf000, load(12));
  }
  // Four rows of all outputs: 4 x 4 floats are transposed in each quarter.
  STINT_INLINE void Rows(int64_t row, __m512 (&rows)[4]) const {
    const __m512 a = Quarters(0, row), b = Quarters(1, row);
    const __m512 c = Quarters(2, row), d = Quarters(3, row);
    const __m512 ab_low = _mm512_maskz_unpacklo_ps(0xffff, a, b);
    const __m512 ab_high = _mm512_maskz_unpackhi_ps(0xffff, a, b);
    const __m512 cd_low = _mm512_maskz_unpacklo_ps(0xffff, c, d);
    const __m512 cd_high = _mm512_maskz_unpackhi_ps(0xffff, c, d);
    rows[0] = _mm512_maskz_shuffle_ps(0xffff, ab_low, cd_low, 0x44);
    rows[1] = _mm512_maskz_shuffle_ps(0xffff, ab_low, cd_low, 0xee);
    rows[2] = _mm512_maskz_shuffle_ps(0xffff, ab_high, cd_high, 0x44);
    rows[3] = _mm512_maskz_shuffle_ps(0xffff, ab_high, cd_high, 0xee);
  }

  // Results of `count` outputs from column `first` of the block on.
  template <bool kResidual>
  STINT_INLINE void Store(const OutlierBlock& block, int64_t first,
                          int64_t count) const {
    const __mmask16 mask = Avx512::Mask(count);
    const int64_t rows = block.rows, ldt = block.ldt, ldr = block.ldr;
    const float* scale = block.scales;
    const float* residual = kResidual ? block.residual + first : nullptr;
    float* to = block.to + first;
    for (int64_t i = 0; i < rows; i += 4) {
      __m512 x[4];
      Rows(i, x);
#pragma GCC unroll 4
      for (int64_t r = 0; r < 4; ++r) {
        if (i + r >= rows) return;
        x[r] = x[r] * _mm512_set1_ps(scale[i + r]);
        if (kResidual) {
          x[r] += _mm512_maskz_loadu_ps(mask, residual + (i + r) * ldr);
        }
        _mm512_mask_storeu_ps(to + (i + r) * ldt, mask, x[r]);
      }
    }
  }
};

STINT_INLINE void AddOutliersByColumns(const OutlierBlock& block) {
  OutlierSums sums(block);
  const CodedOutlier* next = block.outliers.data();
  const CodedOutlier* const end = next + block.outliers.size();
  for (int64_t j = 0; j < block.outputs; j += kPlaneStripOutputs) {
    const int64_t output = block.output + j;
    const CodedOutlier* const first = next;
    for (; next < end && next->output < output + kPlaneStripOutputs; ++next) {
      sums.Add(block, *next, next->output - output);
    }
    const int64_t count = std::min(kPlaneStripOutputs, block.outputs - j);
    if (block.residual) {
      sums.Store<true>(block, j, count);
    } else {
      sums.Store<false>(block, j, count);
    }
    // Only what was added to.
    for (const CodedOutlier* t = first; t < next; ++t) {
      sums.Clear(block, t->output - output);
    }
  }
}

}  // namespace stint
