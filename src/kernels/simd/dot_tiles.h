#pragma once
// The products of tile_product.h on vector registers: each adds pairs of bf16
// at once (AVX512_BF16). The operands are those of the tile registers, so that
// what was written for these runs where a CPU has none. Only for files compiled
// for that ISA.

#include <immintrin.h>

#include <cstdint>
#include <cstring>

#include "kernels/simd/tile_product.h"

namespace stint {

// Rows of A times one or two column tiles of B.
struct DotStrip {
  const uint8_t* a;  // the first row
  int64_t a_stride;  // bytes between rows
  const int64_t* a_offset;
  int64_t a_step;  // bytes between steps where a_offset is null
  const uint8_t* b[2];
  int64_t b_step;
  int64_t steps;
  float* c[2];
  int64_t c_stride;              // bytes between rows
  const uint8_t* far = nullptr;  // needed soon, fetched into L2 meanwhile
  int64_t far_lines = 0;         // cache lines of it at each step

  STINT_INLINE int64_t At(int64_t step) const {
    return a_offset ? a_offset[step] : step * a_step;
  }
};

// 8 rows by 2 vectors: 96 to 98 % of what the instruction does at best on Zen 4
// with B from L1 or L2; 12 rows or 3 vectors are no faster.
inline constexpr int kDotStripRows = 8;

template <int kRows, int kVecs>
__attribute__((noinline)) void MultiplyDotStrip(const DotStrip& strip) {
  const DotStrip t = strip;  // in registers, whatever memory does
  __m512 acc[kRows][kVecs];
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < kVecs; ++v) acc[i][v] = _mm512_setzero_ps();
  }
  for (int64_t s = 0; s < t.steps; ++s) {
    const uint8_t* a = t.a + t.At(s);
    const int64_t from = s * t.b_step;
    for (int64_t i = 0; i < t.far_lines; ++i) {
      __builtin_prefetch(t.far + (s * t.far_lines + i) * 64, 0, 2);
    }
#pragma GCC unroll 4
    for (int p = 0; p < kTileRows; ++p) {
      __m512bh b[kVecs];
#pragma GCC unroll 2
      for (int v = 0; v < kVecs; ++v) {
        b[v] = reinterpret_cast<__m512bh>(
            _mm512_loadu_si512(t.b[v] + from + p * kTileRowBytes));
      }
#pragma GCC unroll 8
      for (int i = 0; i < kRows; ++i) {
        int32_t pair;
        std::memcpy(&pair, a + i * t.a_stride + p * 4, sizeof(pair));
        const auto x = reinterpret_cast<__m512bh>(_mm512_set1_epi32(pair));
#pragma GCC unroll 2
        for (int v = 0; v < kVecs; ++v) {
          acc[i][v] = _mm512_dpbf16_ps(acc[i][v], x, b[v]);
        }
      }
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < kVecs; ++v) {
      _mm512_storeu_ps(t.c[v] + i * (t.c_stride / 4), acc[i][v]);
    }
  }
}

template <int kRows, int kVecs>
void MultiplyDotRows(const DotStrip& strip, int64_t rows) {
  if constexpr (kRows > 0) {
    if (rows == kRows) return MultiplyDotStrip<kRows, kVecs>(strip);
    MultiplyDotRows<kRows - 1, kVecs>(strip, rows);
  }
}

struct DotTiles {
  // Any number of rows, in strips of equal size.
  template <int kVecs>
  static void Rows(DotStrip strip, int64_t rows) {
    for (int64_t strips = (rows + kDotStripRows - 1) / kDotStripRows;
         strips > 0; --strips) {
      const int64_t count = (rows + strips - 1) / strips;
      MultiplyDotRows<kDotStripRows, kVecs>(strip, count);
      strip.a += count * strip.a_stride;
      for (float*& c : strip.c) c += count * (strip.c_stride / 4);
      strip.far += strip.steps * strip.far_lines * 64;
      rows -= count;
    }
  }

  template <TileDot kDot, int kRowTiles, int kColTiles>
  static void Multiply(const TileProduct& t, TileSums<float>* sums) {
    static_assert(kDot == TileDot::kBf16);
    if (t.steps == 0) {  // operands may be null
      *sums = {};
      return;
    }
    // Each strip fetches its part.
    const int64_t strips = (t.rows + kDotStripRows - 1) / kDotStripRows;
    const int64_t lines =
        (t.far_lines + kRowTiles * strips - 1) / (kRowTiles * strips);
    for (int r = 0; r < kRowTiles; ++r) {
      float(*to)[16][16] = &sums->tile[2 * r];
      Rows<kColTiles>({.a = t.a[r],
                       .a_stride = t.a_stride,
                       .a_offset = t.a_offset,
                       .a_step = kTileBytes,
                       .b = {t.b, t.b + kTileBytes},
                       .b_step = 2 * kTileBytes,
                       .steps = t.steps,
                       .c = {to[0][0], to[1][0]},
                       .c_stride = kTileRowBytes,
                       .far = t.far + r * strips * t.steps * lines * 64,
                       .far_lines = lines},
                      t.rows);
    }
  }
};

}  // namespace stint
