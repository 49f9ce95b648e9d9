#pragma once
// Reference evaluation of losses.

#include "engine/bind/eval_context.h"
#include "model/ops/op.h"

namespace stint {

Status Eval(const NegativeLogLikelihoodLoss& op, EvalContext& ctx);

}  // namespace stint
