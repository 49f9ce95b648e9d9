#pragma once
// Reference evaluation of the elementwise group.

#include "engine/reference/eval_context.h"
#include "model/ops/elementwise/activation.h"
#include "model/ops/elementwise/binary.h"
#include "model/ops/elementwise/cast.h"
#include "model/ops/elementwise/unary.h"

namespace stint {

Status Eval(const Unary& op, EvalContext& ctx);
Status Eval(const LeakyRelu& op, EvalContext& ctx);
Status Eval(const Elu& op, EvalContext& ctx);
Status Eval(const Celu& op, EvalContext& ctx);
Status Eval(const Selu& op, EvalContext& ctx);
Status Eval(const HardSigmoid& op, EvalContext& ctx);
Status Eval(const ThresholdedRelu& op, EvalContext& ctx);
Status Eval(const Shrink& op, EvalContext& ctx);
Status Eval(const Swish& op, EvalContext& ctx);
Status Eval(const Gelu& op, EvalContext& ctx);
Status Eval(const IsInf& op, EvalContext& ctx);
Status Eval(const Clip& op, EvalContext& ctx);
Status Eval(const Binary& op, EvalContext& ctx);
Status Eval(const Mod& op, EvalContext& ctx);
Status Eval(const BitShift& op, EvalContext& ctx);
Status Eval(const Variadic& op, EvalContext& ctx);
Status Eval(const Where& op, EvalContext& ctx);
Status Eval(const Cast& op, EvalContext& ctx);
Status Eval(const CastLike& op, EvalContext& ctx);
Status Eval(const BitCast& op, EvalContext& ctx);

}  // namespace stint
