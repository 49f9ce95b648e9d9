#pragma once
// Up to 8 rows of A times one strip of codes, without a copy of the values:
// each register of them is multiplied with all rows as soon as it is decoded.
// Only for files compiled for VBMI, GFNI and VNNI.

#include "kernels/gemm_codes/coded_matrix.h"
#include "kernels/gemm_codes/vbmi.h"
#include "kernels/gemm_s8/lanes_vnni.h"
#include "kernels/gemm_s8/tile.h"

namespace stint {

// Sums of kRows rows, and those of the values alone. Few sums would wait for
// each other: words are dealt out to more.
template <int kRows>
struct FewSums {
  static constexpr int kParts = kRows == 1 ? 4 : kRows <= 4 ? 2 : 1;
  __m512i rows[kParts][kRows] = {};
  __m512i values[kParts] = {};

  // Adds the products of one word with 4 bytes of each row; rows share
  // pointers by threes.
  STINT_INLINE void Add(int part, __m512i x, const uint8_t* const* a,
                        int64_t lda, int64_t at) {
    part %= kParts;
    values[part] = _mm512_dpbusd_epi32(values[part], _mm512_set1_epi8(1), x);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      rows[part][r] = _mm512_dpbusd_epi32(
          rows[part][r], VnniS8::Broadcast(a[r / 3] + r % 3 * lda + at), x);
    }
  }
  STINT_INLINE void Fold() {
#pragma GCC unroll 4
    for (int p = 1; p < kParts; ++p) {
      values[0] = _mm512_add_epi32(values[0], values[p]);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        rows[0][r] = _mm512_add_epi32(rows[0][r], rows[p][r]);
      }
    }
  }
};

// The words of a strip that make no whole group.
template <int kBits, int kRows>
__attribute__((noinline)) void AddTail(const VbmiStrip<kBits>& strip,
                                       const StripCodes& codes, int64_t begin,
                                       const uint8_t* const* rows, int64_t lda,
                                       FewSums<kRows>* sums) {
  StripTail<4> tail(codes, begin, codes.words());
  strip.Decode(&tail);
  tail.ClearPadding();
  for (int64_t w = 0; w < tail.words; ++w) {
    sums->Add(0, _mm512_load_si512(tail.values[w]), rows, lda, 4 * (begin + w));
  }
}

// Adds the products of a strip's blocks from `first` on that have kBits bits;
// returns the first block with others.
template <int kBits, int kRows>
__attribute__((noinline)) size_t AddFewRows(const GemmS8Block& block,
                                            const CodedStrip& strip,
                                            size_t first,
                                            FewSums<kRows>* total) {
  FewSums<kRows> sums = *total;
  const int64_t lda = block.lda;
  size_t i = first;
  for (; i < strip.blocks.size() && strip.blocks[i].bits == kBits; ++i) {
    const CodedBlock& coded = strip.blocks[i];
    const uint64_t* const* planes = coded.planes;
    const VbmiStrip<kBits> in(planes, strip.strip * coded.shape.strip_words(),
                              coded.values);
    const uint8_t* rows[(kRows + 2) / 3];
#pragma GCC unroll 3
    for (int r = 0; r < (kRows + 2) / 3; ++r) {
      rows[r] = block.a + coded.input + 3 * r * lda;
    }
    const int64_t left =
        in.Groups(0, coded.shape.inputs / kPlaneWordInputs,
                  [&](int64_t word, int part, __m512i x)
                      STINT_LAMBDA { sums.Add(part, x, rows, lda, 4 * word); });
    if (left < coded.shape.strip_words()) {
      *total = sums;
      AddTail<kBits, kRows>(in, coded.Strip(strip.strip), left, rows, lda,
                            total);
      sums = *total;
    }
  }
  *total = sums;
  return i;
}

template <int kRows>
void MultiplyFewRows(const GemmS8Block& block, const CodedStrip& strip) {
  FewSums<kRows> sums;
  for (size_t i = 0; i < strip.blocks.size();) {
    WithBits(strip.blocks[i].bits, [&](auto bits) STINT_LAMBDA {
      i = AddFewRows<bits(), kRows>(block, strip, i, &sums);
    });
  }
  sums.Fold();
  alignas(64) int32_t values[16];
  _mm512_store_si512(values, sums.values[0]);
  GemmS8Block whole = block;
  whole.sums = values;
  float results[kRows * 16];
  float* c = block.c ? block.c : results;
  const int64_t ldc = block.c ? block.ldc : 16;
  const GemmS8Columns<VnniS8> columns(whole, 0, block.n);
  for (int64_t r = 0; r < block.m; ++r) {
    columns.Store(whole, r, reinterpret_cast<VnniS8::I>(sums.rows[0][r]),
                  c + r * ldc);
  }
  FinishCurveAndBytes<VnniS8>(whole, 0, {c, ldc, block.m, block.n});
}

// block.m <= kMost.
template <int kMost>
STINT_INLINE void MultiplyUpTo(const GemmS8Block& block,
                               const CodedStrip& strip) {
  if constexpr (kMost > 1) {
    if (block.m < kMost) return MultiplyUpTo<kMost - 1>(block, strip);
  }
  MultiplyFewRows<kMost>(block, strip);
}

}  // namespace stint
