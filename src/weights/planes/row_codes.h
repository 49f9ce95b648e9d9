#pragma once
// Tables of which rows are gathered one by one: a scale per row and codes of
// one dictionary, so that a row is all that has to be read.

#include <array>
#include <cstdint>
#include <span>

#include "stint/status.h"
#include "weights/planes/histogram.h"
#include "weights/planes/matrix_rows.h"

namespace stint {

inline constexpr int kRowMinBits = 2;
inline constexpr int kRowMaxBits = 8;

// A row of codes: scale (float32), then the codes, `bits` each, the lowest bits
// of a byte first, zeros up to a multiple of 4 bytes.
struct RowFormat {
  int64_t columns = 0;
  int bits = 5;

  int64_t bytes() const { return 4 + (columns * bits + 31) / 32 * 4; }
};

// How a table is coded.
struct RowCodes {
  RowFormat format;
  std::array<int8_t, 256> values{};  // 2^bits of them
  // Scale of a row over the spread of its weights.
  float reach = 1;
  std::array<uint8_t, Histogram::kBins> codes{};
};

// Fits the dictionary to a sample of the table's rows (outputs).
// kInvalidArgument for weights that are not finite.
Result<RowCodes> FitRowCodes(const MatrixRows& rows, int bits);

// Writes a row's bytes, format.bytes() many. Returns the squared error, or
// kInvalidArgument for weights that are not finite.
Result<double> EncodeRow(const RowCodes& codes, std::span<const float> row,
                         uint8_t* to);

// The way back; `values` has 2^bits entries.
void DecodeRow(const RowFormat& format, const int8_t* values,
               const uint8_t* from, float* to);

}  // namespace stint
