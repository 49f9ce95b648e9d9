#pragma once
// Times the primitives that fit one convolution.

#include <vector>

#include "engine/device/conv_costs.h"

namespace stint {

class ThreadPool;

// One entry per primitive; empty when fewer than two differ. Weights are random
// and rotate through more memory than an L2 holds, as in a forward pass. With
// `with_sparse`, also sparse ones, gathered in each way that differs, at the
// shares of engine/device/sparse_costs.h.
Result<std::vector<PrimitiveCost>> TimePrimitives(const ConvF32Shape& shape,
                                                  ImageLayout input, Isa isa,
                                                  ThreadPool* pool,
                                                  bool with_sparse = false);

}  // namespace stint
