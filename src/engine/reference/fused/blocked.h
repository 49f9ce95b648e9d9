#pragma once
// Reference evaluation of the ops on blocked images: to plain images, the plain
// op, and back.

#include "engine/reference/eval_context.h"
#include "model/ops/fused/blocked.h"

namespace stint {

Status Eval(const ToBlocked& op, EvalContext& ctx);
Status Eval(const FromBlocked& op, EvalContext& ctx);
Status Eval(const BlockedConv& op, EvalContext& ctx);
Status Eval(const BlockedMaxPool& op, EvalContext& ctx);
Status Eval(const BlockedAveragePool& op, EvalContext& ctx);
Status Eval(const BlockedGlobalAverage& op, EvalContext& ctx);

}  // namespace stint
