#pragma once
// Reference evaluation of recurrent layers.

#include "engine/reference/eval_context.h"
#include "model/ops/recurrent/recurrent.h"

namespace stint {

Status Eval(const RNN& op, EvalContext& ctx);
Status Eval(const GRU& op, EvalContext& ctx);
Status Eval(const LSTM& op, EvalContext& ctx);

}  // namespace stint
