#pragma once
// Weights to int8, one symmetric scale per output channel: q = round(w /
// scale), scale = max|w| / 127 over the channel, ties to even.

#include <cstdint>

namespace stint {

struct QuantizeColumnsArgs {
  int64_t n = 0;
  int64_t k = 0;
  const float* w = nullptr;  // [k,n], or [n,k] when transposed; finite
  int64_t ldw = 0;
  bool transposed = false;
  int8_t* q = nullptr;     // dense, in the order of w
  float* scale = nullptr;  // [n], 0 for a channel of zeros
};

void QuantizeColumns(const QuantizeColumnsArgs& args);

}  // namespace stint
