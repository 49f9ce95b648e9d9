#pragma once
// What outliers add to a block of results, as the residual that the product of
// the codes then takes: R[i,o] + scale_a[i] * sum (A[i,input] - zero_a[i]) *
// value. The columns of A are read, so that rows fill vectors.

#include <cstdint>

#include "kernels/gemm_codes/coded_matrix.h"

namespace stint {

// Columns [begin, end) of A [m,k] as rows of `columns`: `columns_pitch` bytes
// each, a multiple of 16, 0 past the last row of A.
struct RowColumns {
  const uint8_t* a;
  int64_t lda;
  int64_t m;
  int64_t begin;
  int64_t end;
  uint8_t* columns;
  int64_t columns_pitch;
};

// Rows of a block handled together: they bound its memory.
inline constexpr int64_t kOutlierRows = 64;

struct OutlierBlock {
  const uint8_t* columns;  // of A, from the block's first row on
  int64_t columns_pitch;   // room for rows rounded up to 16 is left
  int64_t rows;            // <= kOutlierRows
  const float* scale_a;    // [rows], or [1] when row_step is 0
  const uint8_t* zero_a;   // likewise
  int64_t row_step;
  CodedOutliers outliers;
  int64_t output;  // first
  int64_t outputs;
  const float* residual;  // [rows, outputs] or null
  int64_t ldr;
  float* to;  // [rows, outputs]; room for outputs rounded up to 4 is left
  int64_t ldt;
};

// The same for at most a few rows of A as it is; columns are not read.
void AddOutliersByRow(const OutlierBlock& block, const uint8_t* a, int64_t lda);

}  // namespace stint
