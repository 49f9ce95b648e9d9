#pragma once
// Dimensions and steps as kernels take them: up to eight, neighbors merged.

#include <vector>

#include "core/tensor/element_access.h"
#include "core/tensor/merge_dims.h"
#include "engine/opencl/opencl_step.h"
#include "stint/tensor.h"

namespace stint {

// Dimensions and, for each operand, steps along them.
struct Strided {
  Int8 dims = {1, 1, 1, 1, 1, 1, 1, 1};
  std::vector<Int8> steps;
  int rank = 1;
};

// Merges neighbors that are one dimension for every operand, and leaves out
// those of size 1. kUnsupported when more than eight are left or an element
// does not have a number of 31 bits.
Result<Strided> MergeForKernels(const Shape& dims,
                                const std::vector<std::vector<int64_t>>& steps);

// The same with the last dimension apart: kernels walk along it without
// dividing.
struct StridedRuns {
  Strided outer;
  cl_int length = 1;          // of a run along the last dimension
  cl_int runs = 1;            // how many there are
  std::vector<cl_int> steps;  // along the last dimension, per operand
};
StridedRuns SplitRuns(const Strided& strided);

// The number of elements, or kUnsupported when it does not fit into 31 bits.
Result<cl_int> CountOf(const Shape& dims);

}  // namespace stint
