#pragma once
// What values a graph's activations take, as calibration measured it.

#include <cmath>
#include <optional>
#include <vector>

#include "model/graph/graph.h"

namespace stint {

// By value of the graph; nothing where it was not seen.
using ActivationRanges = std::vector<std::optional<ActivationRange>>;

// What the graph's values carry; empty where none carries any.
ActivationRanges RangesOf(const Graph& graph);
// Makes the graph's values carry them.
void SetRanges(const ActivationRanges& ranges, Graph* graph);

// Byte q stands for scale * (q - zero).
struct ByteCode {
  float scale = 1;
  int64_t zero = 0;
};

// The code whose 256 values span the range; 0 is one of them.
inline ByteCode CodeOf(const ActivationRange& range) {
  const float span = range.hi - range.lo;
  if (!(span > 0) || !std::isfinite(span)) return {};
  const float scale = span / 255;
  return {scale, std::lround(-range.lo / scale)};
}

}  // namespace stint
