#pragma once
// Walks a sliding window over one image of any number of spatial dimensions.

#include <cstdint>
#include <vector>

#include "core/tensor/element_access.h"
#include "model/ops/linear/conv.h"

namespace stint {

class WindowWalk {
 public:
  // `in` and `out` are spatial sizes; `window` is resolved.
  WindowWalk(const Window& window, Shape in, Shape out)
      : window_(window), in_(std::move(in)), out_(std::move(out)) {}

  int64_t in_size() const { return Count(in_); }
  int64_t out_size() const { return Count(out_); }
  int64_t kernel_size() const { return Count(window_.kernel); }

  // visit(output element, input element, kernel element) for every tap that
  // does not fall into padding.
  template <typename Visit>
  void ForEach(Visit visit) const {
    ForEachTap([&](int64_t o, int64_t k, const std::vector<int64_t>& at) {
      const int64_t i = InputIndex(at);
      if (i >= 0) visit(o, i, k);
    });
  }

  // visit(output element, kernel element, input coordinates); coordinates may
  // lie outside the image.
  template <typename Visit>
  void ForEachTap(Visit visit) const {
    const size_t rank = in_.size();
    std::vector<int64_t> out(rank, 0), kernel(rank, 0), at(rank, 0);
    const int64_t outs = out_size();
    const int64_t taps = kernel_size();
    for (int64_t o = 0; o < outs; ++o, Advance(&out, out_)) {
      std::fill(kernel.begin(), kernel.end(), 0);
      for (int64_t k = 0; k < taps; ++k, Advance(&kernel, window_.kernel)) {
        for (size_t d = 0; d < rank; ++d) {
          at[d] = out[d] * window_.strides[d] - window_.pads[d] +
                  kernel[d] * window_.dilations[d];
        }
        visit(o, k, at);
      }
    }
  }

  // Flat index of coordinates, or -1 in padding.
  int64_t InputIndex(const std::vector<int64_t>& at) const {
    int64_t index = 0;
    for (size_t d = 0; d < in_.size(); ++d) {
      if (at[d] < 0 || at[d] >= in_[d]) return -1;
      index = index * in_[d] + at[d];
    }
    return index;
  }

 private:
  static int64_t Count(const std::vector<int64_t>& dims) {
    int64_t count = 1;
    for (int64_t dim : dims) count *= dim;
    return count;
  }
  static void Advance(std::vector<int64_t>* index,
                      const std::vector<int64_t>& dims) {
    for (size_t d = dims.size(); d-- > 0;) {
      if (++(*index)[d] < dims[d]) return;
      (*index)[d] = 0;
    }
  }

  const Window& window_;
  Shape in_;
  Shape out_;
};

}  // namespace stint
