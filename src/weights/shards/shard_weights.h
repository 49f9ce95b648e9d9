#pragma once
// Constants seen as the matrices of a shard layout.

#include <span>

#include "stint/tensor.h"
#include "weights/shards/shard_layout.h"

namespace stint {

// Copies the rows [first, first + count) of the matrix that a constant is in
// that order.
void CopyWeightRows(const Tensor& constant, WeightOrder order, int64_t first,
                    std::span<float> to);
// The way back: `from` is the whole matrix, [outputs, inputs].
void SetWeights(const float* from, WeightOrder order, Tensor* constant);

// Outputs and inputs of the matrix that a shape is in that order.
PlaneBlockShape MatrixShape(const Shape& shape, WeightOrder order);

}  // namespace stint
