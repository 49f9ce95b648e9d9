#include "core/tensor/merge_dims.h"

#include "core/tensor/element_access.h"

namespace stint {

std::vector<int64_t> BroadcastStrides(const Shape& out, const Shape& dims) {
  std::vector<int64_t> strides(out.size(), 0);
  const std::vector<int64_t> own = StridesOf(dims);
  const size_t missing = out.size() - dims.size();
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] != 1) strides[missing + d] = own[d];
  }
  return strides;
}

MergedDims MergeDims(const Shape& dims,
                     const std::vector<std::vector<int64_t>>& strides) {
  MergedDims merged;
  merged.strides.resize(strides.size());
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] == 1) continue;
    bool joins = !merged.dims.empty();
    for (size_t i = 0; i < strides.size() && joins; ++i) {
      joins = merged.strides[i].back() == strides[i][d] * dims[d];
    }
    if (!joins) merged.dims.push_back(1);
    merged.dims.back() *= dims[d];
    for (size_t i = 0; i < strides.size(); ++i) {
      if (!joins) merged.strides[i].push_back(0);
      merged.strides[i].back() = strides[i][d];
    }
  }
  return merged;
}

}  // namespace stint
