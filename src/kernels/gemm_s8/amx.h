#pragma once
// The int8 GEMM on AMX tiles: 32 x 32 of C are summed in four tile registers.
// One source for the instructions and their emulation. S as in tile.h, for what
// becomes of the sums.

#include <algorithm>

#include "core/base/checked_math.h"
#include "kernels/gemm_s8/tile.h"
#include "kernels/simd/tile_product.h"

namespace stint {

template <class S>
STINT_INLINE void FinishS8Tiles(const GemmS8Block& block, int64_t row,
                                int64_t rows, const TileSums<int32_t>& sums) {
  alignas(64) float results[2 * kTileRows * 32];
  float* c = block.c ? block.c + row * block.ldc : results;
  const int64_t ldc = block.c ? block.ldc : 32;
  for (int64_t j = 0; j < block.n; j += S::kWidth) {
    const GemmS8Columns<S> columns(block, j,
                                   std::min<int64_t>(S::kWidth, block.n - j));
    for (int64_t i = 0; i < rows; ++i) {
      const int32_t* from = sums.tile[i / 16 * 2 + j / 16][i % 16] + j % 16;
      columns.Store(block, row + i, S::LoadSums(from), c + i * ldc + j);
    }
  }
  FinishCurveAndBytes<S>(block, row, {c, ldc, rows, block.n});
}

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
  TileSums<int32_t> sums;
  for (int64_t row = 0; row < block.m; row += 2 * kTileRows) {
    const int64_t left = std::min<int64_t>(2 * kTileRows, block.m - row);
    t.a[0] = block.a + row * block.lda;
    t.a[1] = t.a[0] + kTileRows * block.lda;
    ShapeTiles<Tiles>(static_cast<int>(std::min<int64_t>(left, kTileRows)),
                      block.shape);
    MultiplyTiles<Tiles, TileDot::kU8S8>(t, left > kTileRows ? 2 : 1,
                                         block.n > 16 ? 2 : 1, &sums);
    t.far += t.steps * t.far_lines * 64;
    FinishS8Tiles<S>(block, row, left, sums);
  }
}

}  // namespace stint
