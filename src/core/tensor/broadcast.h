#pragma once
// Walks the elements of a broadcast result in runs along its last dimension.

#include <cstdint>
#include <vector>

#include "core/base/function_ref.h"
#include "stint/tensor.h"

namespace stint {

// Each input broadcasts to `out` (NumPy rules).
class BroadcastWalk {
 public:
  BroadcastWalk(const Shape& out, const std::vector<const Shape*>& inputs);

  // Elements per run; runs cover the output in order.
  int64_t run_length() const { return run_; }
  // Input i stays on one element during a run.
  bool repeats(size_t i) const { return inner_stride_[i] == 0; }

  // The dimensions above the run, and how far input i moves along each.
  size_t outer_rank() const { return outer_.size(); }
  int64_t outer_dim(size_t d) const { return outer_[d]; }
  int64_t outer_stride(size_t i, size_t d) const {
    return outer_strides_[i][d];
  }

  // Calls visit(first output element, first element of each input) per run.
  void ForEachRun(
      FunctionRef<void(int64_t out, const int64_t* in)> visit) const;

 private:
  Shape outer_;  // dimensions above the run, neighbors merged
  int64_t run_ = 1;
  std::vector<int64_t> inner_stride_;                // per input: 0 or 1
  std::vector<std::vector<int64_t>> outer_strides_;  // [input][outer dim]
};

}  // namespace stint
