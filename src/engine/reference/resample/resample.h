#pragma once
// Reference evaluation of ops that read images at computed coordinates.

#include "engine/reference/eval_context.h"
#include "model/ops/resample/resize.h"
#include "model/ops/resample/sample.h"

namespace stint {

Status Eval(const Resize& op, EvalContext& ctx);
Status Eval(const GridSample& op, EvalContext& ctx);
Status Eval(const AffineGrid& op, EvalContext& ctx);
Status Eval(const RoiAlign& op, EvalContext& ctx);
Status Eval(const DeformConv& op, EvalContext& ctx);

}  // namespace stint
