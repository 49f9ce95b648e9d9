#pragma once
// How a product is cut for caches and threads; shared by GEMM and convolution.

#include <algorithm>
#include <cstdint>

#include "core/base/checked_math.h"

namespace stint {

// 48 columns x 512 x 4 bytes = 96 KB of B: its L2 reads are amortized, and
// partial sums of C are rewritten only every 512 steps.
inline constexpr int64_t kGemmBlockK = 512;
// 128 rows x 512 x 4 bytes = 256 KB of A beside B in an L2 of 1 MB or more.
inline constexpr int64_t kGemmBlockM = 128;

// Multiply-adds below which a second thread costs more than it saves: one core
// does them in about 0.5 us, joining a spinning worker takes 0.15 us.
inline constexpr int64_t kMinParallelWork = 32 * 1024;

// Floats of C below which a second thread does not help to finish rows: 8K of
// them take about 4 us to be normalized (norm_f32_bench).
inline constexpr int64_t kMinFinishFloats = 8 * 1024;

// Equal blocks no larger than `limit`, a multiple of `step` but for the last.
inline int64_t EvenBlock(int64_t total, int64_t limit, int64_t step) {
  const int64_t blocks = std::max<int64_t>(1, CeilDiv(total, limit));
  return std::max<int64_t>(step, RoundUp(CeilDiv(total, blocks), step));
}

// A grid of rows x cols threads over a product of row and column tiles.
struct GemmGrid {
  int rows;
  int cols;
};

// The grid whose busiest thread has the fewest tiles; columns before rows on a
// tie, since threads then read different panels of B.
inline GemmGrid SplitGemm(int64_t row_tiles, int64_t col_tiles, int threads) {
  GemmGrid best{1, threads};
  int64_t best_cost = CeilDiv(col_tiles, threads) * row_tiles;
  for (int rows = 2; rows <= threads; ++rows) {
    const int cols = threads / rows;
    const int64_t cost = CeilDiv(row_tiles, rows) * CeilDiv(col_tiles, cols);
    if (cost < best_cost) {
      best_cost = cost;
      best = {rows, cols};
    }
  }
  return best;
}

// Whether threads of a product on tiles take rows rather than columns: rows
// that a thread wrote are in its cache when the next product reads them, while
// a panel of B still serves two pairs of row tiles (MiniLM in bf16 and int8,
// BERT-base in int8, 128 tokens, 2 threads: 8 to 14 % less time than by
// columns). All threads then read all of B, which pays up to 3 MB (BERT-base in
// bf16: 15 % more time).
inline bool SplitsTilesByRows(int64_t m, int64_t b_bytes, int threads) {
  return m >= int64_t{64} * threads && b_bytes <= int64_t{3} << 20;
}

struct GemmRange {
  int64_t begin;
  int64_t end;
};

// Part `part` of `parts` of `tiles` tiles of size `tile`, within [0, total).
inline GemmRange PartOf(int64_t total, int64_t tile, int part, int parts) {
  const int64_t tiles = CeilDiv(total, tile);
  return {std::min(total, tiles * part / parts * tile),
          std::min(total, tiles * (part + 1) / parts * tile)};
}

}  // namespace stint
