#pragma once
// Turns a table of float32 weights into rows of codes.

#include <array>
#include <cstdint>
#include <span>

#include "stint/status.h"
#include "weights/planes/matrix_rows.h"
#include "weights/planes/row_format.h"
#include "weights/planes/weight_histogram.h"

namespace stint {

// How a table is coded.
struct RowCodes {
  RowFormat format;
  std::array<int8_t, 256> values{};  // 2^bits of them
  // Scale of a row over the spread of its weights.
  float reach = 1;
  std::array<uint8_t, WeightHistogram::kBins> codes{};
};

// Fits the dictionary to a sample of the table's rows (outputs).
// kInvalidArgument for weights that are not finite.
Result<RowCodes> FitRowCodes(const MatrixRows& rows, int bits);

// Writes a row's bytes, format.bytes() many. Returns the squared error, or
// kInvalidArgument for weights that are not finite.
Result<double> EncodeRow(const RowCodes& codes, std::span<const float> row,
                         uint8_t* to);

}  // namespace stint
