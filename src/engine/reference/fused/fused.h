#pragma once
// Reference evaluation of the fused ops, all in float32.

#include "engine/reference/eval_context.h"
#include "model/ops/fused/fused.h"

namespace stint {

Status Eval(const FusedLinear& op, EvalContext& ctx);
Status Eval(const FusedLinearNorm& op, EvalContext& ctx);
Status Eval(const FusedConv& op, EvalContext& ctx);
Status Eval(const FusedAttention& op, EvalContext& ctx);

}  // namespace stint
