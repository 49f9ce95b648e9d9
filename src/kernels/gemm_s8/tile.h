#pragma once
// The int8 register tile, one source for every instruction set S: kRows rows by
// kVecs vectors of int32 sums stay in registers while k runs.
//
// S extends a float vector class of kernels/simd by: A and B, operands ready to
// multiply; Broadcast (4 bytes of A into each lane); LoadB; Dot (adds to each
// lane its 4 products, exactly); LoadSums; ToFloat; kTileVecs, the vectors of a
// panel; where it multiplies A less kOffset, that.

#include "kernels/gemm_s8/gemm_s8_table.h"
#include "kernels/gemm_s8/quantize.h"
#include "kernels/simd/curves.h"

namespace stint {

// Bytes of B fetched ahead into L1.
inline constexpr int64_t kGemmS8PrefetchBytes = 2048;

template <class S>
constexpr int GemmS8Offset() {
  if constexpr (requires { S::kOffset; }) {
    return S::kOffset;
  } else {
    return 0;
  }
}

// What turns the sums of a vector of columns, from column `at`, into results.
template <class S>
struct GemmS8Columns {
  using F = typename S::F;
  using I = typename S::I;

  STINT_INLINE GemmS8Columns(const GemmS8Block& block, int64_t at,
                             int64_t lanes)
      : at(at),
        lanes(lanes),
        sums(S::LoadSums(block.sums + at)),
        scale_b(Load(block.scale_b + at)),
        bias(block.bias_n ? Load(block.bias_n + at) : S::Set1(0)) {}

  STINT_INLINE F Load(const float* p) const {
    return lanes == S::kWidth ? S::Load(p) : S::LoadN(p, lanes);
  }
  // The sums of one row, clamped, into c.
  STINT_INLINE void Store(const GemmS8Block& block, int64_t row, I acc,
                          float* c) const {
    const int zero = block.zero_a[row * block.row_step] - GemmS8Offset<S>();
    const F scale = S::Set1(block.scale_a[row * block.row_step]) * scale_b;
    F x = S::Fma(S::ToFloat(acc - sums * zero), scale, bias);
    if (block.residual) {
      x = x + Load(block.residual + row * block.ldr + at);
    }
    x = Clamp<S>(x, block.act.lo, block.act.hi);
    if (lanes == S::kWidth) {
      S::Store(c, x);
    } else {
      S::StoreN(c, x, lanes);
    }
  }

  int64_t at;
  int64_t lanes;
  I sums;
  F scale_b;
  F bias;
};

template <class S, int kRows, int kVecs>
struct GemmS8Tile {
  using F = typename S::F;
  using I = typename S::I;
  static constexpr int kWidth = S::kWidth;
  // Few sums would wait for each other: steps of k are dealt out to more.
  static constexpr int kSums = kRows * kVecs;
  static constexpr int kSplit = kSums >= 10 ? 1 : kSums >= 5 ? 2 : 4;
  I acc[kSplit][kRows][kVecs];

  // One group of k. Rows share pointers by threes: 12 would not fit the
  // general registers.
  template <int kPart>
  STINT_INLINE void Step(const uint8_t* const (&a)[(kRows + 2) / 3],
                         int64_t lda, const int8_t* b) {
    typename S::B row[kVecs];
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) row[v] = S::LoadB(b + v * kWidth * 4);
#pragma GCC unroll 32
    for (int i = 0; i < kRows; ++i) {
      const typename S::A x = S::Broadcast(a[i / 3] + 4 * kPart + i % 3 * lda);
#pragma GCC unroll 8
      for (int v = 0; v < kVecs; ++v) {
        acc[kPart][i][v] = S::Dot(acc[kPart][i][v], x, row[v]);
      }
    }
  }

  template <int kPart = 0>
  STINT_INLINE void Steps(const uint8_t* const (&a)[(kRows + 2) / 3],
                          int64_t lda, const int8_t* b, int64_t ldb) {
    if constexpr (kPart < kSplit) {
#pragma GCC unroll 8
      for (int at = 0; at < kVecs * kWidth * 4; at += 64) {
        __builtin_prefetch(b + kGemmS8PrefetchBytes + at);
      }
      Step<kPart>(a, lda, b);
      Steps<kPart + 1>(a, lda, b + ldb, ldb);
    }
  }

  // With kFar, a cache line of `far` is fetched into L2 at each step.
  template <bool kFar>
  STINT_INLINE void Multiply(const GemmS8Block& block, int64_t first_row,
                             const int8_t* far) {
    for (auto& part : acc) {
      for (auto& row : part) {
        for (I& sum : row) sum = I{};
      }
    }
    const uint8_t* a[(kRows + 2) / 3];
#pragma GCC unroll 8
    for (int r = 0; r < (kRows + 2) / 3; ++r) {
      a[r] = block.a + (first_row + 3 * r) * block.lda;
    }
    const int8_t* b = block.b;
    constexpr int64_t kLdb = S::kTileVecs * kWidth * 4;
    int64_t p = 0;
    for (; p + kSplit <= block.groups; p += kSplit) {
      if (kFar) __builtin_prefetch(far, 0, 2);
      far += 64;
      Steps(a, block.lda, b, kLdb);
      b += kSplit * kLdb;
#pragma GCC unroll 8
      for (const uint8_t*& row : a) row += 4 * kSplit;
    }
    if constexpr (kSplit > 1) {
      for (; p < block.groups; ++p, b += kLdb) {
        Step<0>(a, block.lda, b);
        for (const uint8_t*& row : a) row += 4;
      }
      Fold();
    }
  }

  STINT_INLINE void Fold() {
#pragma GCC unroll 8
    for (int s = 1; s < kSplit; ++s) {
#pragma GCC unroll 8
      for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
        for (int v = 0; v < kVecs; ++v) acc[0][i][v] += acc[s][i][v];
      }
    }
  }

  // Into fp32 rows of `c`, clamped; the curve follows in memory.
  STINT_INLINE void Store(const GemmS8Block& block, int64_t first_row, float* c,
                          int64_t ldc) const {
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) {
      const int64_t lanes = v + 1 < kVecs ? kWidth : block.n - v * kWidth;
      const GemmS8Columns<S> columns(block, v * kWidth, lanes);
#pragma GCC unroll 32
      for (int i = 0; i < kRows; ++i) {
        columns.Store(block, first_row + i, acc[0][i][v],
                      c + i * ldc + v * kWidth);
      }
    }
  }
};

// The lines needed next that the index-th tile of `groups` steps fetches; null
// when those before it have fetched them all.
STINT_INLINE const int8_t* FarLines(const GemmS8Block& block, int64_t index) {
  const int64_t at = index * block.groups * 64;
  if (block.b_next == nullptr || at >= block.b_next_bytes) return nullptr;
  return block.b_next + at;
}

template <class S, int kRows, int kVecs>
__attribute__((noinline)) void RunGemmS8Tile(const GemmS8Block& block,
                                             int64_t row, float* c,
                                             int64_t ldc) {
  GemmS8Tile<S, kRows, kVecs> tile;
  const int8_t* far = FarLines(block, row / kRows);
  if (far != nullptr) {
    tile.template Multiply<true>(block, row, far);
  } else {
    tile.template Multiply<false>(block, row, block.b);
  }
  tile.Store(block, row, c, ldc);
}

// The curve on results from `row` on, and the bytes where those are wanted.
template <class S>
STINT_INLINE void FinishCurveAndBytes(const GemmS8Block& block, int64_t row,
                                      const CurveRows& results) {
  if (block.act.curve != Curve::kNone) {
    ApplyCurveRows<S>(block.act.curve, results);
  }
  if (block.c) return;
  for (int64_t i = 0; i < results.rows; ++i) {
    RequantizeRow<S>(results.data + i * results.stride, block.n, block.out,
                     block.c8 + (row + i) * block.ldc);
  }
}

// kRows rows from `row`, through to what is stored.
template <class S, int kRows, int kVecs>
STINT_INLINE void FinishGemmS8Rows(const GemmS8Block& block, int64_t row) {
  constexpr int64_t kTileN = S::kTileVecs * S::kWidth;
  float results[kRows * kTileN];
  float* c = block.c ? block.c + row * block.ldc : results;
  const int64_t ldc = block.c ? block.ldc : kTileN;
  RunGemmS8Tile<S, kRows, kVecs>(block, row, c, ldc);
  FinishCurveAndBytes<S>(block, row, {c, ldc, kRows, block.n});
}

// The rows that are left, fewer than kRows + 1.
template <class S, int kRows, int kVecs>
void RunGemmS8Tail(const GemmS8Block& block, int64_t row) {
  if constexpr (kRows > 0) {
    if (block.m - row == kRows) {
      FinishGemmS8Rows<S, kRows, kVecs>(block, row);
    } else {
      RunGemmS8Tail<S, kRows - 1, kVecs>(block, row);
    }
  }
}

// All rows of the block with tiles of kVecs vectors, or fewer when the panel
// is narrower.
template <class S, int kRows, int kVecs = S::kTileVecs>
void RunGemmS8(const GemmS8Block& block) {
  if constexpr (kVecs > 1) {
    if (block.n <= (kVecs - 1) * S::kWidth) {
      return RunGemmS8<S, kRows, kVecs - 1>(block);
    }
  }
  int64_t row = 0;
  for (; row + kRows <= block.m; row += kRows) {
    FinishGemmS8Rows<S, kRows, kVecs>(block, row);
  }
  RunGemmS8Tail<S, kRows - 1, kVecs>(block, row);
}

}  // namespace stint
