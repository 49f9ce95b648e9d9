#pragma once
// Reference evaluation of attention.

#include "engine/reference/eval_context.h"
#include "model/ops/attention/attention.h"

namespace stint {

Status Eval(const Attention& op, EvalContext& ctx);
Status Eval(const RotaryEmbedding& op, EvalContext& ctx);
Status Eval(const LinearAttention& op, EvalContext& ctx);

}  // namespace stint
