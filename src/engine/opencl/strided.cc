#include "engine/opencl/strided.h"

#include <limits>

namespace stint {

std::vector<int64_t> StepsOf(const Shape& dims) {
  std::vector<int64_t> steps(dims.size(), 1);
  for (size_t d = dims.size(); d-- > 1;) steps[d - 1] = steps[d] * dims[d];
  return steps;
}

std::vector<int64_t> BroadcastSteps(const Shape& dims, const Shape& to) {
  std::vector<int64_t> steps(to.size(), 0);
  const std::vector<int64_t> own = StepsOf(dims);
  const size_t missing = to.size() - dims.size();
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] != 1) steps[missing + d] = own[d];
  }
  return steps;
}

Result<cl_int> CountOf(const Shape& dims) {
  STINT_ASSIGN_OR_RETURN(const int64_t count, ElementCount(dims));
  if (count > std::numeric_limits<cl_int>::max()) {
    return Unsupported("a tensor of " + std::to_string(count) +
                       " elements, OpenCL kernels count to 2^31");
  }
  return static_cast<cl_int>(count);
}

Result<Strided> MergeDims(const Shape& dims,
                          const std::vector<std::vector<int64_t>>& steps) {
  STINT_RETURN_IF_ERROR(CountOf(dims).status());
  Shape merged;
  std::vector<std::vector<int64_t>> merged_steps(steps.size());
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] == 1) continue;
    bool joins = !merged.empty();
    for (size_t i = 0; i < steps.size() && joins; ++i) {
      joins = merged_steps[i].back() == steps[i][d] * dims[d];
    }
    if (joins) merged.back() *= dims[d];
    if (!joins) merged.push_back(dims[d]);
    for (size_t i = 0; i < steps.size(); ++i) {
      if (joins) merged_steps[i].back() = steps[i][d];
      if (!joins) merged_steps[i].push_back(steps[i][d]);
    }
  }
  Strided strided;
  if (merged.size() > strided.dims.size()) {
    return Unsupported("more than eight dimensions");
  }
  strided.rank = static_cast<int>(std::max<size_t>(1, merged.size()));
  strided.steps.assign(steps.size(), Int8{});
  for (size_t d = 0; d < merged.size(); ++d) {
    strided.dims[d] = static_cast<cl_int>(merged[d]);
    for (size_t i = 0; i < steps.size(); ++i) {
      strided.steps[i][d] = static_cast<cl_int>(merged_steps[i][d]);
    }
  }
  return strided;
}

}  // namespace stint
