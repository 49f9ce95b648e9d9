#include "model/ops/elementwise/cast.h"

namespace stint {

Status Infer(const Cast& op, InferContext& ctx) {
  ValueType type = ctx.in(0);
  type.typed = true;
  type.dtype = op.to;
  ctx.SetOutput(0, type);
  return OkStatus();
}

Status Infer(const CastLike&, InferContext& ctx) {
  ValueType type = ctx.in(0);
  type.typed = ctx.in(1).typed;
  type.dtype = ctx.in(1).dtype;
  ctx.SetOutput(0, type);
  return OkStatus();
}

Status Infer(const BitCast& op, InferContext& ctx) {
  if (ctx.in(0).typed && DTypeSize(ctx.in(0).dtype) != DTypeSize(op.to)) {
    return InvalidArgument(
        "cannot reinterpret " + std::string(DTypeName(ctx.in(0).dtype)) +
        " as " + std::string(DTypeName(op.to)) + ": the widths differ");
  }
  ValueType type = ctx.in(0);
  type.typed = true;
  type.dtype = op.to;
  ctx.SetOutput(0, type);
  return OkStatus();
}

}  // namespace stint
