#pragma once
// Reference evaluation of softmax, normalizations and pooling.

#include "engine/reference/eval_context.h"
#include "model/ops/nn/normalize.h"
#include "model/ops/nn/pool.h"
#include "model/ops/nn/softmax.h"

namespace stint {

Status Eval(const Softmax& op, EvalContext& ctx);
Status Eval(const LogSoftmax& op, EvalContext& ctx);
Status Eval(const Hardmax& op, EvalContext& ctx);
Status Eval(const BatchNormalization& op, EvalContext& ctx);
Status Eval(const InstanceNormalization& op, EvalContext& ctx);
Status Eval(const LayerNormalization& op, EvalContext& ctx);
Status Eval(const RMSNormalization& op, EvalContext& ctx);
Status Eval(const GroupNormalization& op, EvalContext& ctx);
Status Eval(const LpNormalization& op, EvalContext& ctx);
Status Eval(const MeanVarianceNormalization& op, EvalContext& ctx);
Status Eval(const LRN& op, EvalContext& ctx);
Status Eval(const MaxPool& op, EvalContext& ctx);
Status Eval(const AveragePool& op, EvalContext& ctx);
Status Eval(const LpPool& op, EvalContext& ctx);
Status Eval(const GlobalAveragePool& op, EvalContext& ctx);
Status Eval(const GlobalMaxPool& op, EvalContext& ctx);
Status Eval(const GlobalLpPool& op, EvalContext& ctx);

}  // namespace stint
