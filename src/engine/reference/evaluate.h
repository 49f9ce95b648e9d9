#pragma once
// Reference evaluation: what every op computes, for every element type it
// takes. Kernels are checked against it, constants are folded with it, and ops
// without a faster kernel run on it.

#include "engine/reference/eval_context.h"
#include "model/ops/op.h"

namespace stint {

// Inputs fit the op's shape rule and outputs whose shape that rule knows have
// memory. Control flow is not evaluated here but by the executor.
Status Evaluate(const Op& op, EvalContext& ctx);

}  // namespace stint
