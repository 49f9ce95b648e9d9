#pragma once
// The panel of the kernels that widen bf16 in registers: two steps of k side by
// side for each of kTile columns, so that a shift gives the even step and a
// mask the odd one.

#include <algorithm>

#include "core/base/float_bits.h"
#include "kernels/gemm_bf16/gemm_bf16_table.h"

namespace stint {

template <int kTile>
void PackPairs(const GemmBf16Columns& columns, uint16_t* panel) {
  const int64_t pairs = (columns.k + 1) / 2;
  std::fill_n(panel, pairs * 2 * kTile, uint16_t{0});
  for (int64_t p = 0; p < columns.k; ++p) {
    uint16_t* to = panel + p / 2 * 2 * kTile + p % 2;
    for (int64_t j = 0; j < columns.cols; ++j) {
      const int64_t at = p * columns.step_k + j * columns.step_n;
      to[2 * j] =
          columns.f32 ? FloatToBFloat16(columns.f32[at]) : columns.bf16[at];
    }
  }
}

}  // namespace stint
