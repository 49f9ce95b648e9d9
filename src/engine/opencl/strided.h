#pragma once
// Dimensions and steps as kernels take them: up to eight, neighbors merged.

#include <vector>

#include "engine/opencl/opencl_step.h"
#include "stint/tensor.h"

namespace stint {

// Elements from neighbor to neighbor along each dimension, row-major.
std::vector<int64_t> StepsOf(const Shape& dims);

// The same for an operand of dimensions `dims` that broadcasts to `to`: 0 where
// it does.
std::vector<int64_t> BroadcastSteps(const Shape& dims, const Shape& to);

// Dimensions and, for each operand, steps along them.
struct Strided {
  Int8 dims = {1, 1, 1, 1, 1, 1, 1, 1};
  std::vector<Int8> steps;
  int rank = 1;
};

// Merges neighbors that are one dimension for every operand, and leaves out
// those of size 1. kUnsupported when more than eight are left or an element
// does not have a number of 31 bits.
Result<Strided> MergeDims(const Shape& dims,
                          const std::vector<std::vector<int64_t>>& steps);

// The number of elements, or kUnsupported when it does not fit into 31 bits.
Result<cl_int> CountOf(const Shape& dims);

}  // namespace stint
