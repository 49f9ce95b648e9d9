#pragma once
// The panel of the AMX kernel, 32 columns: for each 32 steps of k two
// contiguous tiles of [16 pairs of k][16 columns][2].

#include <algorithm>

#include "core/base/checked_math.h"
#include "core/base/float_bits.h"
#include "kernels/gemm_bf16/bf16_tiles.h"
#include "kernels/gemm_bf16/gemm_bf16_table.h"

namespace stint {

inline void PackBf16Tiles(const GemmBf16Columns& columns, uint16_t* panel) {
  const int64_t padded = RoundUp(columns.k, kBf16TileK);
  std::fill_n(panel, padded * kBf16TileColumns, uint16_t{0});
  for (int64_t p = 0; p < columns.k; ++p) {
    uint16_t* to = panel + p / kBf16TileK * 2 * kBf16TileElements +
                   p % kBf16TileK / 2 * 32 + p % 2;
    for (int64_t j = 0; j < columns.cols; ++j) {
      const int64_t at = p * columns.step_k + j * columns.step_n;
      to[j / 16 * kBf16TileElements + j % 16 * 2] =
          columns.f32 ? FloatToBFloat16(columns.f32[at]) : columns.bf16[at];
    }
  }
}

}  // namespace stint
