#pragma once
// The constants of a fused linear node: weights side by side, and vectors that
// are added and multiplied to its rows.

#include <optional>
#include <vector>

#include "model/ops/op.h"
#include "stint/tensor.h"

namespace stint {

// The weights that a node reads, without their contents, and its biases.
struct LinearParts {
  std::vector<const Tensor*> weights;
  std::vector<const Tensor*> biases;  // null where a part has none
  int64_t k = 0;
  int64_t n = 0;
};

// Weights are the inputs before `end`. Nothing when one of them or a bias is
// not a constant.
std::optional<LinearParts> LinearPartsOf(const FusedLinear& op,
                                         const InferContext& ctx, int end);

// The constant itself where it stays in memory, else a copy: vectors of all
// layers are a tenth of what a small budget leaves for weights.
Result<Tensor> KeepVector(const Tensor& constant);

// The biases side by side, 0 where a part has none; empty when all have none.
Result<Tensor> JoinBiases(const LinearParts& parts, bool transposed);

}  // namespace stint
