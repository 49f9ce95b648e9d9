#pragma once
// Weights in 16 bits in the file: each is rounded, stored narrow, and widened
// by a Cast when it is read.

#include "model/graph/graph.h"

namespace stint {

// `dtype` is kFloat16 or kBFloat16. Weights of two and more dimensions; returns
// how many tensors. kInvalidArgument, naming the tensor, when one has numbers
// that float16 cannot hold.
Result<int> StoreHalf(DType dtype, Graph* graph);

}  // namespace stint
