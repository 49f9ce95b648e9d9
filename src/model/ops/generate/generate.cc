#include "model/ops/generate/generate.h"

#include <cmath>

namespace stint {

Status Infer(const ConstantOfShape& op, InferContext& ctx) {
  if (op.value.size() != 1) {
    return InvalidArgument("value has " + std::to_string(op.value.size()) +
                           " elements, expected 1");
  }
  ctx.SetOutputDType(0, op.value.dtype());
  const auto dims = ctx.Ints(0);
  if (dims) {
    STINT_RETURN_IF_ERROR(ElementCount(*dims).status());
    ctx.SetOutput(0, op.value.dtype(), *dims);
  } else if (ctx.Ranked({0}) && ctx.in(0).rank() == 1 &&
             IsKnown(ctx.in(0).dims[0]) && ctx.in(0).dims[0] < 64) {
    ctx.SetOutput(0, op.value.dtype(), Shape(ctx.in(0).dims[0], kUnknownDim));
  }
  return OkStatus();
}

namespace {

// The one number of a constant scalar.
std::optional<double> ScalarOf(const Tensor* tensor) {
  if (tensor == nullptr || tensor->size() != 1) return std::nullopt;
  if (tensor->dtype() == DType::kFloat32) return *tensor->data<float>();
  if (tensor->dtype() == DType::kFloat64) return *tensor->data<double>();
  const auto ints = IntsOf(*tensor);
  if (ints.size() != 1) return std::nullopt;
  return static_cast<double>(ints[0]);
}

}  // namespace

Status Infer(const Range&, InferContext& ctx) {
  const DType dtype = ctx.in(0).dtype;
  ctx.SetOutput(0, dtype, {kUnknownDim});
  const auto start = ScalarOf(ctx.constant(0));
  const auto limit = ScalarOf(ctx.constant(1));
  const auto delta = ScalarOf(ctx.constant(2));
  if (!start || !limit || !delta) return OkStatus();
  if (*delta == 0) return InvalidArgument("delta is 0");
  const double count = std::ceil((*limit - *start) / *delta);
  if (!(count < 1e15)) {
    return ResourceExhausted("range of " + std::to_string(count) + " elements");
  }
  ctx.SetOutput(0, dtype, {count > 0 ? static_cast<int64_t>(count) : 0});
  return OkStatus();
}

Status Infer(const EyeLike& op, InferContext& ctx) {
  if (ctx.Ranked({0}) && ctx.in(0).rank() != 2) {
    return InvalidArgument("input " + ToString(ctx.in(0).dims) +
                           ", expected a matrix");
  }
  ValueType type = ctx.in(0);
  if (!op.dtype_like) type.dtype = op.dtype;
  ctx.SetOutput(0, type);
  return OkStatus();
}

}  // namespace stint
