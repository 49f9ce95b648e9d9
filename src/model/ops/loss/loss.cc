#include "model/ops/loss/loss.h"

#include "model/ops/input_checks.h"

namespace stint {

Status Infer(const NegativeLogLikelihoodLoss& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(RequireInputs(ctx, {0, 1}));
  STINT_RETURN_IF_ERROR(RequireFloats(ctx, {0, 2}));
  STINT_RETURN_IF_ERROR(RequireIntegers(ctx, {1}));
  if (op.reduction != "none" && op.reduction != "sum" &&
      op.reduction != "mean") {
    return InvalidArgument("reduction is '" + op.reduction + "'");
  }
  const DType dtype = ctx.in(0).dtype;
  ctx.SetOutputDType(0, dtype);
  if (!ctx.Ranked({0})) return OkStatus();
  const Shape& x = ctx.in(0).dims;
  if (x.size() < 2) {
    return InvalidArgument("input 0 is " + ToString(x) +
                           ", expected rank 2 or more");
  }
  Shape targets = x;
  targets.erase(targets.begin() + 1);
  STINT_RETURN_IF_ERROR(RequireDims(ctx, 1, targets));
  STINT_RETURN_IF_ERROR(RequireDims(ctx, 2, {x[1]}));
  ctx.SetOutput(0, dtype, op.reduction == "none" ? targets : Shape{});
  return OkStatus();
}

}  // namespace stint
