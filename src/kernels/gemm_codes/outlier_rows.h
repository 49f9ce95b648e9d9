#pragma once
// Outliers on registers, one source for every instruction set S (a class of
// gemm_s8/lanes_*.h with LoadBytes).

#include <algorithm>
#include <cstring>

#include "kernels/gemm_codes/interleave.h"
#include "kernels/gemm_codes/outliers.h"

namespace stint {

// Squares of 16 x 16 bytes.
STINT_INLINE void TransposeRowsWith(const RowColumns& rows) {
  for (int64_t i = 0; i < rows.columns_pitch; i += 16) {
    const int64_t filled = std::min<int64_t>(16, rows.m - i);
    for (int64_t j = rows.begin; j < rows.end; j += 16) {
      const int64_t count = std::min<int64_t>(16, rows.end - j);
      Bytes16 square[16] = {}, columns[16];
      for (int64_t r = 0; r < filled; ++r) {
        const uint8_t* from = rows.a + (i + r) * rows.lda + j;
        if (count == 16) {
          std::memcpy(&square[r], from, 16);
        } else {
          std::memcpy(&square[r], from, static_cast<size_t>(count));
        }
      }
      InterleaveBytes(square, columns);
      uint8_t* to = rows.columns + j * rows.columns_pitch + i;
      for (int64_t c = 0; c < count; ++c, to += rows.columns_pitch) {
        std::memcpy(to, &columns[c], 16);
      }
    }
  }
}

template <class S>
struct OutlierColumns {
  using F = typename S::F;
  alignas(64) float zero[kOutlierRows];
  alignas(64) float scale[kOutlierRows];

  STINT_INLINE explicit OutlierColumns(const OutlierBlock& block) {
    for (int64_t i = 0; i < kOutlierRows; ++i) {
      const int64_t row = std::min(i, block.rows - 1) * block.row_step;
      zero[i] = block.zero_a[row];
      scale[i] = block.scale_a[row];
    }
  }

  // What the outliers of one output add to all rows.
  STINT_INLINE void Sum(const OutlierBlock& block, int64_t output,
                        float* to) const {
    const int32_t* first = block.outliers.first + output;
    for (int64_t i = 0; i < block.rows; i += S::kWidth) {
      const F z = S::Load(zero + i);
      F sum = S::Set1(0);
      for (int32_t t = first[0]; t < first[1]; ++t) {
        const uint8_t* column =
            block.columns + i + block.outliers.input[t] * block.columns_pitch;
        sum = S::Fma(S::ToFloat(S::LoadBytes(column)) - z,
                     S::Set1(block.outliers.value[t]), sum);
      }
      S::Store(to + i, sum * S::Load(scale + i));
    }
  }
};

// Four outputs of four rows: sums, whose rows are outputs, to rows of results.
STINT_INLINE void StoreQuad(const float* sums, const float* residual,
                            int64_t ldr, float* to, int64_t ldt) {
  using F = Generic::F;
  F x[4];
  for (int o = 0; o < 4; ++o) x[o] = Generic::Load(sums + o * kOutlierRows);
  const F a = __builtin_shufflevector(x[0], x[1], 0, 4, 1, 5);
  const F b = __builtin_shufflevector(x[2], x[3], 0, 4, 1, 5);
  const F c = __builtin_shufflevector(x[0], x[1], 2, 6, 3, 7);
  const F d = __builtin_shufflevector(x[2], x[3], 2, 6, 3, 7);
  F y[4] = {__builtin_shufflevector(a, b, 0, 1, 4, 5),
            __builtin_shufflevector(a, b, 2, 3, 6, 7),
            __builtin_shufflevector(c, d, 0, 1, 4, 5),
            __builtin_shufflevector(c, d, 2, 3, 6, 7)};
  for (int r = 0; r < 4; ++r) {
    if (residual) y[r] = y[r] + Generic::Load(residual + r * ldr);
    Generic::Store(to + r * ldt, y[r]);
  }
}

// The same where fewer are left; writes four columns all the same.
STINT_INLINE void StoreRows(const float* sums, const OutlierBlock& block,
                            int64_t row, int64_t column) {
  const int64_t rows = std::min<int64_t>(4, block.rows - row);
  const int64_t outputs = std::min<int64_t>(4, block.outputs - column);
  for (int64_t r = row; r < row + rows; ++r) {
    for (int64_t o = 0; o < outputs; ++o) {
      float x = sums[o * kOutlierRows + r - row];
      if (block.residual) x += block.residual[r * block.ldr + column + o];
      block.to[r * block.ldt + column + o] = x;
    }
  }
}

template <class S>
STINT_INLINE void AddOutliersWith(const OutlierBlock& block) {
  const OutlierColumns<S> columns(block);
  alignas(64) float sums[4 * kOutlierRows];
  for (int64_t j = 0; j < block.outputs; j += 4) {
    const int64_t outputs = std::min<int64_t>(4, block.outputs - j);
    for (int64_t o = 0; o < outputs; ++o) {
      columns.Sum(block, block.output + j + o, sums + o * kOutlierRows);
    }
    for (int64_t i = 0; i < block.rows; i += 4) {
      if (outputs == 4 && i + 4 <= block.rows) {
        StoreQuad(sums + i,
                  block.residual ? block.residual + i * block.ldr + j : nullptr,
                  block.ldr, block.to + i * block.ldt + j, block.ldt);
      } else {
        StoreRows(sums + i, block, i, j);
      }
    }
  }
}

}  // namespace stint
