#include "core/tensor/broadcast.h"

#include "core/tensor/element_access.h"

namespace stint {
namespace {

// Strides of `in` seen as an array of shape `out`: 0 where it repeats.
std::vector<int64_t> BroadcastStrides(const Shape& out, const Shape& in) {
  const std::vector<int64_t> own = StridesOf(in);
  std::vector<int64_t> strides(out.size(), 0);
  const size_t offset = out.size() - in.size();
  for (size_t i = 0; i < in.size(); ++i) {
    if (in[i] != 1) strides[offset + i] = own[i];
  }
  return strides;
}

}  // namespace

BroadcastWalk::BroadcastWalk(const Shape& out,
                             const std::vector<const Shape*>& inputs) {
  std::vector<std::vector<int64_t>> strides;
  for (const Shape* shape : inputs) {
    strides.push_back(BroadcastStrides(out, *shape));
  }
  // Merge neighboring dimensions that every input walks alike.
  Shape dims;
  std::vector<std::vector<int64_t>> merged(inputs.size());
  for (size_t d = 0; d < out.size(); ++d) {
    if (out[d] == 1) continue;
    bool joins = !dims.empty();
    for (size_t i = 0; i < inputs.size() && joins; ++i) {
      joins = merged[i].back() == strides[i][d] * out[d];
    }
    if (joins) {
      dims.back() *= out[d];
      for (size_t i = 0; i < inputs.size(); ++i) {
        merged[i].back() = strides[i][d];
      }
    } else {
      dims.push_back(out[d]);
      for (size_t i = 0; i < inputs.size(); ++i) {
        merged[i].push_back(strides[i][d]);
      }
    }
  }
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
