#pragma once
// Reference evaluation of ops that put elements at given places, and of those
// that keep or reverse parts of a tensor.

#include "engine/reference/eval_context.h"
#include "model/ops/movement/crop.h"
#include "model/ops/movement/scatter.h"

namespace stint {

Status Eval(const ScatterElements& op, EvalContext& ctx);
Status Eval(const ScatterND& op, EvalContext& ctx);
Status Eval(const TensorScatter& op, EvalContext& ctx);
Status Eval(const OneHot& op, EvalContext& ctx);
Status Eval(const MaxUnpool& op, EvalContext& ctx);
Status Eval(const Col2Im& op, EvalContext& ctx);
Status Eval(const CenterCropPad& op, EvalContext& ctx);
Status Eval(const ReverseSequence& op, EvalContext& ctx);
Status Eval(const Trilu& op, EvalContext& ctx);

}  // namespace stint
