#pragma once
// What running an op once costs, from its types alone.

#include <cstdint>

#include "stint/tensor.h"

namespace stint {

struct OpCost {
  int64_t macs = 0;         // multiply-accumulates
  int64_t input_bytes = 0;  // every input read once
  int64_t output_bytes = 0;
};

// Product of the dimensions, those that are not known counted as 1.
inline int64_t CountKnown(const Shape& dims) {
  int64_t count = 1;
  for (int64_t dim : dims) count *= dim >= 0 ? dim : 1;
  return count;
}

}  // namespace stint
