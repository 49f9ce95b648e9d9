#pragma once
// The int8 GEMM on AMX tiles: 32 x 32 of C are summed in four tile registers.
// One source for the instructions and their emulation. S as in tile.h, for what
// becomes of the sums.

#include <algorithm>

#include "core/base/checked_math.h"
#include "kernels/gemm_s8/s8_tiles.h"
#include "kernels/gemm_s8/tile.h"

namespace stint {

// Rows of C from what the registers held.
template <class S>
struct FinishS8Rows {
  STINT_INLINE void operator()(const GemmS8Block& block, int64_t row,
                               const TileSums<int32_t>& sums,
                               const GemmS8Tiles::Range& range) const {
    alignas(64) float results[2 * kTileRows * 32];
    const int64_t first = row + range.begin;
    float* c = block.c ? block.c + first * block.ldc : results;
    const int64_t ldc = block.c ? block.ldc : 32;
    for (int64_t j = 0; j < block.n; j += S::kWidth) {
      const GemmS8Columns<S> columns(block, j,
                                     std::min<int64_t>(S::kWidth, block.n - j));
      const int32_t* strip = sums.tile[j / 16][0] + j % 16;
      float* to = c + j;
      for (int64_t i = range.begin; i < range.end; ++i, to += ldc) {
        // A row tile lies two tiles after the one above it.
        const uint64_t at = static_cast<uint64_t>(i);
        columns.Store(block, row + i,
                      S::LoadSums(strip + at / 16 * 512 + at % 16 * 16), to);
      }
    }
    FinishCurveAndBytes<S>(block, first,
                           {c, ldc, range.end - range.begin, block.n});
  }
};

template <class Tiles, class S>
void RunS8Tiles(const GemmS8Block& block) {
  const int64_t pairs = CeilDiv(block.m, 2 * kTileRows);
  TileProduct t{};
  t.a_stride = kTileRowBytes;
  t.b = reinterpret_cast<const uint8_t*>(block.b);
  t.steps = CeilDiv(block.groups * 4, TileStepK(TileDot::kU8S8));
  t.far = reinterpret_cast<const uint8_t*>(block.b_next);
  t.far_lines = block.b_next && t.steps > 0
                    ? CeilDiv(block.b_next_bytes, 64 * t.steps * pairs)
                    : 0;
  GemmS8Tiles& tiles = *block.tiles;
  for (int64_t row = 0; row < block.m; row += 2 * kTileRows) {
    const int64_t left = std::min<int64_t>(2 * kTileRows, block.m - row);
    t.a[0] = block.a + row * block.lda;
    t.a[1] = t.a[0] + kTileRows * block.lda;
    ShapeTiles<Tiles>(static_cast<int>(std::min<int64_t>(left, kTileRows)),
                      &tiles.shape);
    tiles.Multiply<Tiles, TileDot::kU8S8>(t, block, row, left,
                                          FinishS8Rows<S>{});
    tiles.KeepSums();
    t.far += t.steps * t.far_lines * 64;
  }
}

template <class Tiles, class S>
void ReleaseS8Tiles(GemmS8Tiles* tiles) {
  tiles->Release<Tiles>(FinishS8Rows<S>{});
}

}  // namespace stint
