#pragma once
// Reference evaluation of reductions and of ops that generate tensors.

#include "engine/reference/eval_context.h"
#include "model/ops/generate/generate.h"
#include "model/ops/reduce/reduce.h"

namespace stint {

Status Eval(const Reduce& op, EvalContext& ctx);
Status Eval(const ArgReduce& op, EvalContext& ctx);
Status Eval(const ConstantOfShape& op, EvalContext& ctx);
Status Eval(const Range& op, EvalContext& ctx);
Status Eval(const EyeLike& op, EvalContext& ctx);

}  // namespace stint
