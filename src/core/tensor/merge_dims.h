#pragma once
// How tensors that are walked together share dimensions.

#include <cstdint>
#include <vector>

#include "stint/tensor.h"

namespace stint {

// Of `dims` broadcast to `out` (NumPy rules): 0 where it repeats.
std::vector<int64_t> BroadcastStrides(const Shape& out, const Shape& dims);

struct MergedDims {
  Shape dims;                                 // none is 1
  std::vector<std::vector<int64_t>> strides;  // [operand][dimension]
};

// Leaves dimensions of 1 out and merges neighbors that every operand walks
// alike.
MergedDims MergeDims(const Shape& dims,
                     const std::vector<std::vector<int64_t>>& strides);

}  // namespace stint
