#include "model/ops/generate/random.h"

#include "model/ops/input_checks.h"

namespace stint {
namespace {

Status SetShape(DType dtype, const Shape& shape, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectInputs(ctx, {}));
  if (!IsFloat(dtype)) {
    return InvalidArgument("random numbers of type " +
                           std::string(DTypeName(dtype)));
  }
  STINT_RETURN_IF_ERROR(ElementCount(shape).status());
  ctx.SetOutput(0, dtype, shape);
  return OkStatus();
}

// The input's shape with another element type.
Status SetLike(DType dtype, Accepts accepts, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectInputs(ctx, {accepts}));
  ValueType type = ctx.in(0);
  type.dtype = dtype;
  ctx.SetOutput(0, std::move(type));
  return OkStatus();
}

Status SetFloatLike(DType dtype, InferContext& ctx) {
  if (!IsFloat(dtype)) {
    return InvalidArgument("random numbers of type " +
                           std::string(DTypeName(dtype)));
  }
  return SetLike(dtype, Accepts::kAny, ctx);
}

}  // namespace

Status Infer(const RandomNormal& op, InferContext& ctx) {
  return SetShape(op.dtype, op.shape, ctx);
}
Status Infer(const RandomUniform& op, InferContext& ctx) {
  return SetShape(op.dtype, op.shape, ctx);
}
Status Infer(const RandomNormalLike& op, InferContext& ctx) {
  return SetFloatLike(op.dtype, ctx);
}
Status Infer(const RandomUniformLike& op, InferContext& ctx) {
  return SetFloatLike(op.dtype, ctx);
}

Status Infer(const Bernoulli& op, InferContext& ctx) {
  if (!IsFloat(op.dtype) && !IsInteger(op.dtype) && op.dtype != DType::kBool) {
    return InvalidArgument("output of type " +
                           std::string(DTypeName(op.dtype)));
  }
  return SetLike(op.dtype, Accepts::kFloat, ctx);
}

Status Infer(const Multinomial& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectInputs(ctx, {Accepts::kFloat}));
  STINT_RETURN_IF_ERROR(ExpectRank(ctx, 0, 2));
  if (op.dtype != DType::kInt32 && op.dtype != DType::kInt64) {
    return InvalidArgument("output of type " +
                           std::string(DTypeName(op.dtype)));
  }
  if (op.sample_size < 0) {
    return InvalidArgument("sample_size " + std::to_string(op.sample_size));
  }
  ctx.SetOutput(
      0, op.dtype,
      {ctx.Ranked({0}) ? ctx.in(0).dims[0] : kUnknownDim, op.sample_size});
  return OkStatus();
}

}  // namespace stint
