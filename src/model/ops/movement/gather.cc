#include "model/ops/movement/gather.h"

namespace stint {

Status Infer(const Gather& op, InferContext& ctx) {
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  if (!ctx.Ranked({0, 1})) return OkStatus();
  const Shape& data = ctx.in(0).dims;
  const Shape& indices = ctx.in(1).dims;
  STINT_ASSIGN_OR_RETURN(const int64_t axis,
                         NormalizeAxis(op.axis, ctx.in(0).rank()));
  Shape out(data.begin(), data.begin() + axis);
  out.insert(out.end(), indices.begin(), indices.end());
  out.insert(out.end(), data.begin() + axis + 1, data.end());
  ctx.SetOutput(0, ctx.in(0).dtype, std::move(out));
  return OkStatus();
}

Status Infer(const GatherElements& op, InferContext& ctx) {
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  if (!ctx.Ranked({0, 1})) return OkStatus();
  STINT_RETURN_IF_ERROR(NormalizeAxis(op.axis, ctx.in(0).rank()).status());
  if (ctx.in(0).rank() != ctx.in(1).rank()) {
    return InvalidArgument("indices " + ToString(ctx.in(1).dims) +
                           " and data " + ToString(ctx.in(0).dims) +
                           " differ in rank");
  }
  ctx.SetOutput(0, ctx.in(0).dtype, ctx.in(1).dims);
  return OkStatus();
}

Status Infer(const GatherND& op, InferContext& ctx) {
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  if (!ctx.Ranked({0, 1}) || ctx.in(1).dims.empty()) return OkStatus();
  const Shape& data = ctx.in(0).dims;
  const Shape& indices = ctx.in(1).dims;
  const int64_t depth = indices.back();
  if (!IsKnown(depth)) return OkStatus();
  if (op.batch_dims < 0 || op.batch_dims >= ctx.in(1).rank() ||
      op.batch_dims + depth > ctx.in(0).rank()) {
    return InvalidArgument("indices " + ToString(indices) + " with " +
                           std::to_string(op.batch_dims) +
                           " batch dimensions do not index data " +
                           ToString(data));
  }
  Shape out(indices.begin(), indices.end() - 1);
  out.insert(out.end(), data.begin() + op.batch_dims + depth, data.end());
  ctx.SetOutput(0, ctx.in(0).dtype, std::move(out));
  return OkStatus();
}

}  // namespace stint
