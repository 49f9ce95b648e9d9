#include "weights/planes/row_format.h"

#include <cstring>

namespace stint {

void DecodeRow(const RowFormat& format, const int8_t* values,
               const uint8_t* from, float* to) {
  float scale = 0;
  std::memcpy(&scale, from, sizeof(scale));
  from += sizeof(scale);
  const unsigned mask = (1u << format.bits) - 1;
  for (int64_t j = 0; j < format.columns; ++j) {
    const int64_t at = j * format.bits;
    unsigned code = from[at / 8] >> (at % 8);
    if (at % 8 + format.bits > 8) code |= from[at / 8 + 1] << (8 - at % 8);
    to[j] = scale * static_cast<float>(values[code & mask]);
  }
}

}  // namespace stint
