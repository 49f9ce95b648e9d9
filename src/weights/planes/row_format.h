#pragma once
// Tables of which rows are gathered one by one: a scale per row and codes of
// one dictionary, so that a row is all that has to be read.

#include <cstdint>

namespace stint {

inline constexpr int kRowMinBits = 2;
inline constexpr int kRowMaxBits = 8;

// A row of codes: scale (float32), then the codes, `bits` each, the lowest bits
// of a byte first, zeros up to a multiple of 4 bytes.
struct RowFormat {
  int64_t columns = 0;
  int bits = 4;

  int64_t bytes() const { return 4 + (columns * bits + 31) / 32 * 4; }
};

// A row as float32; `values` has 2^bits entries.
void DecodeRow(const RowFormat& format, const int8_t* values,
               const uint8_t* from, float* to);

}  // namespace stint
