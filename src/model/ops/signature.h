#pragma once
// How many inputs and outputs an op has and which element types they take, as
// ONNX states it. Shape rules and kernels rely on it.

#include "model/ops/op.h"

namespace stint {

// An error names the input, what was expected and what was found. Ops that ONNX
// does not have check their inputs themselves.
Status CheckSignature(const Op& op, const InferContext& ctx);

}  // namespace stint
