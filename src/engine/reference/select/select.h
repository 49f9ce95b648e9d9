#pragma once
// Reference evaluation of ops that choose elements, and of running sums.

#include "engine/reference/eval_context.h"
#include "model/ops/reduce/cumulative.h"
#include "model/ops/select/select.h"

namespace stint {

Status Eval(const TopK& op, EvalContext& ctx);
Status Eval(const Unique& op, EvalContext& ctx);
Status Eval(const NonZero& op, EvalContext& ctx);
Status Eval(const Compress& op, EvalContext& ctx);
Status Eval(const NonMaxSuppression& op, EvalContext& ctx);
Status Eval(const Cumulative& op, EvalContext& ctx);
Status Eval(const Det& op, EvalContext& ctx);

}  // namespace stint
