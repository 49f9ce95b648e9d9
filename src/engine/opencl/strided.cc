#include "engine/opencl/strided.h"

#include <algorithm>
#include <limits>

namespace stint {

Result<cl_int> CountOf(const Shape& dims) {
  STINT_ASSIGN_OR_RETURN(const int64_t count, ElementCount(dims));
  if (count > std::numeric_limits<cl_int>::max()) {
    return Unsupported("a tensor of " + std::to_string(count) +
                       " elements, OpenCL kernels count to 2^31");
  }
  return static_cast<cl_int>(count);
}

Result<Strided> MergeForKernels(
    const Shape& dims, const std::vector<std::vector<int64_t>>& steps) {
  STINT_RETURN_IF_ERROR(CountOf(dims).status());
  const MergedDims merged = MergeDims(dims, steps);
  Strided strided;
  if (merged.dims.size() > strided.dims.size()) {
    return Unsupported("more than eight dimensions");
  }
  strided.rank = static_cast<int>(std::max<size_t>(1, merged.dims.size()));
  strided.steps.assign(steps.size(), Int8{});
  for (size_t d = 0; d < merged.dims.size(); ++d) {
    strided.dims[d] = static_cast<cl_int>(merged.dims[d]);
    for (size_t i = 0; i < steps.size(); ++i) {
      strided.steps[i][d] = static_cast<cl_int>(merged.strides[i][d]);
    }
  }
  return strided;
}

StridedRuns SplitRuns(const Strided& strided) {
  StridedRuns split;
  split.outer = strided;
  const size_t last = static_cast<size_t>(strided.rank) - 1;
  split.length = strided.dims[last];
  split.outer.dims[last] = 1;
  split.outer.rank = std::max(1, strided.rank - 1);
  for (Int8& steps : split.outer.steps) {
    split.steps.push_back(steps[last]);
    steps[last] = 0;
  }
  for (cl_int dim : split.outer.dims) split.runs *= dim;
  return split;
}

}  // namespace stint
