#pragma once
// Reference evaluation of losses.

#include "engine/reference/eval_context.h"
#include "model/ops/loss/loss.h"

namespace stint {

Status Eval(const NegativeLogLikelihoodLoss& op, EvalContext& ctx);

}  // namespace stint
