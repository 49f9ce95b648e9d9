#include "model/ops/nn/normalize.h"

namespace stint {
namespace {

// Inputs [first, last] that are present must be vectors of x's channels.
Status CheckChannelVectors(const InferContext& ctx, int first, int last) {
  if (!ctx.Ranked({0})) return OkStatus();
  const Shape& x = ctx.in(0).dims;
  if (x.size() < 2) {
    return InvalidArgument("input " + ToString(x) + ", expected [n,c,...]");
  }
  for (int i = first; i <= last; ++i) {
    if (!ctx.Ranked({i}) || !IsKnown(x[1])) continue;
    const Shape& v = ctx.in(i).dims;
    if (v.size() != 1 || (IsKnown(v[0]) && v[0] != x[1])) {
      return InvalidArgument("input " + std::to_string(i) + " is " +
                             ToString(v) + ", expected [" +
                             std::to_string(x[1]) + "]");
    }
  }
  return OkStatus();
}

}  // namespace

Status Infer(const BatchNormalization&, InferContext& ctx) {
  if (ctx.Ranked({0}) && ctx.in(0).dims.size() > 1) {
    STINT_RETURN_IF_ERROR(CheckChannelVectors(ctx, 1, 4));
  }
  ctx.SetOutput(0, ctx.in(0));
  if (ctx.has(4)) {
    ctx.SetOutput(1, ctx.in(3));
    ctx.SetOutput(2, ctx.in(4));
  }
  return OkStatus();
}

Status Infer(const InstanceNormalization&, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(CheckChannelVectors(ctx, 1, 2));
  ctx.SetOutput(0, ctx.in(0));
  return OkStatus();
}

namespace {

// The shape of per-group statistics: 1 from `axis` on.
Status InferOverTrailing(int64_t axis, InferContext& ctx) {
  ctx.SetOutput(0, ctx.in(0));
  if (!ctx.Ranked({0})) return OkStatus();
  STINT_ASSIGN_OR_RETURN(axis, NormalizeAxis(axis, ctx.in(0).rank()));
  for (int i = 1; i < ctx.num_inputs(); ++i) {
    if (!ctx.Ranked({i})) continue;
    STINT_ASSIGN_OR_RETURN(const Shape joined,
                           BroadcastShapes(ctx.in(0).dims, ctx.in(i).dims));
    if (joined.size() != ctx.in(0).dims.size()) {
      return InvalidArgument(
          "input " + std::to_string(i) + " " + ToString(ctx.in(i).dims) +
          " does not broadcast to " + ToString(ctx.in(0).dims));
    }
  }
  Shape statistics = ctx.in(0).dims;
  for (int64_t i = axis; i < ctx.in(0).rank(); ++i) statistics[i] = 1;
  ctx.SetOutput(1, DType::kFloat32, statistics);
  ctx.SetOutput(2, DType::kFloat32, statistics);
  return OkStatus();
}

}  // namespace

Status Infer(const LayerNormalization& op, InferContext& ctx) {
  return InferOverTrailing(op.axis, ctx);
}
Status Infer(const RMSNormalization& op, InferContext& ctx) {
  return InferOverTrailing(op.axis, ctx);
}

Status Infer(const GroupNormalization& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(CheckChannelVectors(ctx, 1, 2));
  if (op.num_groups < 1 || (ctx.Ranked({0}) && IsKnown(ctx.in(0).dims[1]) &&
                            ctx.in(0).dims[1] % op.num_groups != 0)) {
    return InvalidArgument("num_groups " + std::to_string(op.num_groups) +
                           " does not divide the channels");
  }
  ctx.SetOutput(0, ctx.in(0));
  return OkStatus();
}

Status Infer(const LpNormalization& op, InferContext& ctx) {
  if (op.p != 1 && op.p != 2) {
    return InvalidArgument("p is " + std::to_string(op.p) +
                           ", expected 1 or 2");
  }
  if (ctx.Ranked({0})) {
    STINT_RETURN_IF_ERROR(NormalizeAxis(op.axis, ctx.in(0).rank()).status());
  }
  ctx.SetOutput(0, ctx.in(0));
  return OkStatus();
}

Status Infer(const MeanVarianceNormalization& op, InferContext& ctx) {
  if (ctx.Ranked({0})) {
    STINT_RETURN_IF_ERROR(NormalizeAxes(op.axes, ctx.in(0).rank()).status());
  }
  ctx.SetOutput(0, ctx.in(0));
  return OkStatus();
}

Status Infer(const LRN& op, InferContext& ctx) {
  if (op.size < 1) {
    return InvalidArgument("size is " + std::to_string(op.size));
  }
  STINT_RETURN_IF_ERROR(CheckChannelVectors(ctx, 1, 0));
  ctx.SetOutput(0, ctx.in(0));
  return OkStatus();
}

}  // namespace stint
