#pragma once
// Which elements of a dimension an element of the resized dimension is made of.

#include <cstdint>
#include <vector>

#include "model/ops/resample/resize.h"

namespace stint {

// For each output element `taps` input elements and their weights.
struct ResizeTaps {
  int64_t taps = 1;
  std::vector<int64_t> index;  // [out, taps], inside the input
  std::vector<double> weight;  // [out, taps]; with mode "nearest" 1
  std::vector<bool> outside;   // [out]: takes the extrapolation value
};

// The modes have been checked by the shape rule; dim.in > 0 unless dim.out is
// 0. Fails when antialiasing would need absurdly many taps.
Result<ResizeTaps> MakeResizeTaps(const Resize& op, const ResizedDim& dim);

}  // namespace stint
