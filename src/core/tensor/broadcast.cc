#include "core/tensor/broadcast.h"

#include "core/tensor/merge_dims.h"

namespace stint {

BroadcastWalk::BroadcastWalk(const Shape& out,
                             const std::vector<const Shape*>& inputs) {
  std::vector<std::vector<int64_t>> strides;
  for (const Shape* shape : inputs) {
    strides.push_back(BroadcastStrides(out, *shape));
  }
  auto [dims, merged] = MergeDims(out, strides);
  inner_stride_.assign(inputs.size(), 0);
  if (!dims.empty()) {
    run_ = dims.back();
    dims.pop_back();
    for (size_t i = 0; i < inputs.size(); ++i) {
      inner_stride_[i] = merged[i].back();
      merged[i].pop_back();
    }
  }
  outer_ = std::move(dims);
  outer_strides_ = std::move(merged);
}

void BroadcastWalk::ForEachRun(
    FunctionRef<void(int64_t out, const int64_t* in)> visit) const {
  int64_t runs = run_ == 0 ? 0 : 1;
  for (int64_t dim : outer_) runs *= dim;
  std::vector<int64_t> index(outer_.size(), 0);
  std::vector<int64_t> offsets(outer_strides_.size(), 0);
  for (int64_t r = 0; r < runs; ++r) {
    visit(r * run_, offsets.data());
    for (size_t d = outer_.size(); d-- > 0;) {
      if (++index[d] < outer_[d]) {
        for (size_t i = 0; i < offsets.size(); ++i) {
          offsets[i] += outer_strides_[i][d];
        }
        break;
      }
      for (size_t i = 0; i < offsets.size(); ++i) {
        offsets[i] -= outer_strides_[i][d] * (outer_[d] - 1);
      }
      index[d] = 0;
    }
  }
}

}  // namespace stint
