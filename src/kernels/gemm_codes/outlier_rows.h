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

// Columns of input word `word` that are used, 16 rows of them from `i` on.
STINT_INLINE void TransposeSquare(const RowColumns& rows, int64_t i,
                                  int64_t word) {
  const int64_t filled = std::min<int64_t>(16, rows.m - i);
  const int64_t count = std::min<int64_t>(64, rows.k - 64 * word);
  Bytes64 square[16], columns[16];
  const uint8_t* from = rows.a + i * rows.lda + 64 * word;
  if (count == 64 && filled == 16) {
#pragma GCC unroll 16
    for (int r = 0; r < 16; ++r) {
      std::memcpy(&square[r], from + r * rows.lda, 64);
    }
  } else {
    std::memset(static_cast<void*>(square), 0, sizeof(square));
    for (int64_t r = 0; r < filled; ++r) {
      std::memcpy(&square[r], from + r * rows.lda, static_cast<size_t>(count));
    }
  }
  InterleaveBytes(square, columns);
  uint8_t* to = rows.columns + rows.inputs.rank[word] * rows.columns_pitch + i;
  for (uint64_t left = rows.inputs.used[word]; left != 0; left &= left - 1) {
    const int64_t c = __builtin_ctzll(left);
    const auto* column = reinterpret_cast<const char*>(&columns[c % 16]);
    std::memcpy(to, column + c / 16 * 16, 16);
    to += rows.columns_pitch;
  }
}

// All rows of some columns first: what is written then stays in L1.
STINT_INLINE void TransposeToColumns(const RowColumns& rows) {
  for (int64_t word = rows.begin; word < rows.end; ++word) {
    if (rows.inputs.used[word] == 0) continue;
    for (int64_t i = 0; i < rows.columns_pitch; i += 16) {
      TransposeSquare(rows, i, word);
    }
  }
}

// Up to kMost groups of four outliers of a strip, whose outputs are 0, 1, 2 and
// 3 modulo 4: four values of a row of A then serve all lanes of a register.
struct OutlierGroups {
  static constexpr int kMost = 8;
  static constexpr int kLanes = 4;
  int count = 0;
  const uint8_t* columns[kMost][kLanes];  // where there is none: another's
  alignas(64) float values[kMost][16];    // by output of the strip, or 0
  // Groups of four values; of 16 rows, row i stands at i % 4 * 4 + i / 4.
  alignas(64) float x[kMost][kOutlierRows][kLanes];

  // Takes outliers from `next` on, of outputs [first, first + 16), while there
  // is room; returns the first one left.
  STINT_INLINE const CodedOutlier* Take(const OutlierBlock& block,
                                        const CodedOutlier* next,
                                        int64_t first) {
    const CodedOutlier* end = block.outliers.data() + block.outliers.size();
    int used[kLanes] = {};
    count = 0;
    for (; next < end && next->output < first + kPlaneStripOutputs; ++next) {
      const int64_t lane = next->output - first;
      const int group = used[lane % kLanes];
      if (group == kMost) break;
      const uint8_t* column = block.columns + block.inputs.Column(next->input) *
                                                  block.columns_pitch;
      if (group == count) {
        _mm512_store_ps(values[group], _mm512_setzero_ps());
        for (const uint8_t*& c : columns[group]) c = column;
        ++count;
      }
      ++used[lane % kLanes];
      columns[group][lane % kLanes] = column;
      values[group][lane] = next->value;
    }
    return next;
  }

  STINT_INLINE void LoadColumns(const OutlierBlock& block) {
    const float* const zeros = block.zeros;
    const float* const scales = block.scales;
    const int64_t rows = block.rows;
    for (int g = 0; g < count; ++g) {
      const uint8_t* const from[kLanes] = {columns[g][0], columns[g][1],
                                           columns[g][2], columns[g][3]};
      for (int64_t i = 0; i < rows; i += 16) {
        const __m512 zero = _mm512_loadu_ps(zeros + i);
        const __m512 scale = _mm512_loadu_ps(scales + i);
        __m512 c[kLanes];
#pragma GCC unroll 4
        for (int l = 0; l < kLanes; ++l) {
          c[l] =
              (VnniS8::ToFloat(VnniS8::LoadBytes(from[l] + i)) - zero) * scale;
        }
        StoreRows(c, x[g][i]);
      }
    }
  }

  // Columns of 16 rows to rows of four values.
  static STINT_INLINE void StoreRows(const __m512 (&c)[kLanes], float* to) {
    const __m512 low[2] = {_mm512_maskz_unpacklo_ps(0xffff, c[0], c[1]),
                           _mm512_maskz_unpacklo_ps(0xffff, c[2], c[3])};
    const __m512 high[2] = {_mm512_maskz_unpackhi_ps(0xffff, c[0], c[1]),
                            _mm512_maskz_unpackhi_ps(0xffff, c[2], c[3])};
    _mm512_store_ps(to, _mm512_maskz_shuffle_ps(0xffff, low[0], low[1], 0x44));
    _mm512_store_ps(to + 16,
                    _mm512_maskz_shuffle_ps(0xffff, low[0], low[1], 0xee));
    _mm512_store_ps(to + 32,
                    _mm512_maskz_shuffle_ps(0xffff, high[0], high[1], 0x44));
    _mm512_store_ps(to + 48,
                    _mm512_maskz_shuffle_ps(0xffff, high[0], high[1], 0xee));
  }
};

// Rows of 16 results.
struct OutlierStrip {
  const float* from;  // what is added to
  int64_t from_step;
  float* to;
  int64_t to_step;
  int64_t rows;
  __mmask16 mask;

  // Adds to zeros unless kFrom.
  template <bool kFrom>
  STINT_INLINE void Add(const OutlierGroups& groups) const {
    const OutlierStrip s = *this;  // in registers, whatever memory does
    const int count = groups.count;
    int64_t i = 0;
    for (; i + 16 <= s.rows; i += 16) AddRows<kFrom>(s, groups, count, i, 16);
    if (i < s.rows) AddRows<kFrom>(s, groups, count, i, s.rows - i);
  }

 private:
  // Rows i and on, up to 16 of them.
  template <bool kFrom>
  static STINT_INLINE void AddRows(const OutlierStrip& s,
                                   const OutlierGroups& groups, int count,
                                   int64_t i, int64_t rows) {
    __m512 sums[16];
#pragma GCC unroll 16
    for (int r = 0; r < 16; ++r) {
      sums[r] = kFrom && r < rows ? _mm512_maskz_loadu_ps(
                                        s.mask, s.from + (i + r) * s.from_step)
                                  : _mm512_setzero_ps();
    }
    for (int g = 0; g < count; ++g) {
      const __m512 values = _mm512_load_ps(groups.values[g]);
      const float* x = groups.x[g][i];
#pragma GCC unroll 16
      for (int r = 0; r < 16; ++r) {
        const __m128 four = _mm_load_ps(x + (r % 4 * 4 + r / 4) * 4);
        sums[r] = _mm512_fmadd_ps(
            values, _mm512_maskz_broadcast_f32x4(0xffff, four), sums[r]);
      }
    }
    float* to = s.to + i * s.to_step;
#pragma GCC unroll 16
    for (int r = 0; r < 16; ++r, to += s.to_step) {
      if (r < rows) _mm512_mask_storeu_ps(to, s.mask, sums[r]);
    }
  }
};

STINT_INLINE void AddOutliersByColumns(const OutlierBlock& block) {
  OutlierGroups groups;
  const CodedOutlier* next = block.outliers.data();
  const CodedOutlier* const end = next + block.outliers.size();
  for (int64_t j = 0; j < block.outputs; j += kPlaneStripOutputs) {
    const int64_t first = block.output + j;
    OutlierStrip strip{
        block.residual ? block.residual + j : nullptr,
        block.ldr,
        block.to + j,
        block.ldt,
        block.rows,
        Avx512::Mask(std::min(kPlaneStripOutputs, block.outputs - j))};
    do {
      next = groups.Take(block, next, first);
      groups.LoadColumns(block);
      if (strip.from) {
        strip.Add<true>(groups);
      } else {
        strip.Add<false>(groups);
      }
      strip.from = strip.to;
      strip.from_step = strip.to_step;
    } while (next < end && next->output < first + kPlaneStripOutputs);
  }
}

}  // namespace stint
