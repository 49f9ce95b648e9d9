#pragma once
// What a thread keeps of the AMX tiles between blocks of an int8 product.

#include <algorithm>

#include "kernels/gemm_s8/gemm_s8_table.h"
#include "kernels/simd/tile_product.h"

namespace stint {

struct GemmS8Tiles : TileQueue<GemmS8Block, int32_t> {
  // Sums of columns may lie in a chunk that is decoded anew before the block
  // that waits is finished.
  void KeepSums() {
    std::copy_n(block.sums, block.n, column_sums);
    block.sums = column_sums;
  }
  alignas(64) int32_t column_sums[32];
};

}  // namespace stint
