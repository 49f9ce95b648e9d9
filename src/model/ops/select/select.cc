#include "model/ops/select/select.h"

#include <algorithm>

#include "model/ops/input_checks.h"

namespace stint {

Status Infer(const TopK& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(
      ExpectInputs(ctx, {Accepts::kNumber, Accepts::kInteger}));
  STINT_RETURN_IF_ERROR(ExpectOneElement(ctx, 1));
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  ctx.SetOutputDType(1, DType::kInt64);
  if (!ctx.Ranked({0})) return OkStatus();
  STINT_ASSIGN_OR_RETURN(const int64_t axis,
                         NormalizeAxis(op.axis, ctx.in(0).rank()));
  Shape out = ctx.in(0).dims;
  const auto k = ctx.Ints(1);
  if (k && (k->size() != 1 || (*k)[0] < 0 ||
            (IsKnown(out[axis]) && (*k)[0] > out[axis]))) {
    return InvalidArgument("k is not in [0, " + std::to_string(out[axis]) +
                           "]");
  }
  out[axis] = k ? (*k)[0] : kUnknownDim;
  ctx.SetOutput(0, ctx.in(0).dtype, out);
  ctx.SetOutput(1, DType::kInt64, out);
  return OkStatus();
}

Status Infer(const Unique& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectInputs(ctx, {Accepts::kAny}));
  const DType dtype = ctx.in(0).dtype;
  if (dtype != DType::kString) {
    STINT_RETURN_IF_ERROR(ExpectInputs(ctx, {Accepts::kNumber}));
  }
  ctx.SetOutputDType(0, dtype);
  for (int i = 1; i < 4; ++i) ctx.SetOutput(i, DType::kInt64, {kUnknownDim});
  if (op.axis == kFlattened) {
    ctx.SetOutput(0, dtype, {kUnknownDim});
  } else if (ctx.Ranked({0})) {
    STINT_ASSIGN_OR_RETURN(const int64_t axis,
                           NormalizeAxis(op.axis, ctx.in(0).rank()));
    Shape out = ctx.in(0).dims;
    out[axis] = kUnknownDim;
    ctx.SetOutput(0, dtype, std::move(out));
  }
  return OkStatus();
}

Status Infer(const NonZero&, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectInputs(ctx, {Accepts::kAny}));
  if (ctx.in(0).dtype != DType::kString) {
    STINT_RETURN_IF_ERROR(ExpectInputs(ctx, {Accepts::kNumber}));
  }
  ctx.SetOutput(
      0, DType::kInt64,
      {ctx.Ranked({0}) ? ctx.in(0).rank() : kUnknownDim, kUnknownDim});
  return OkStatus();
}

Status Infer(const Compress& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectInputs(ctx, {Accepts::kAny, Accepts::kBool}));
  STINT_RETURN_IF_ERROR(ExpectRank(ctx, 1, 1));
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  if (op.axis == kFlattened) {
    ctx.SetOutput(0, ctx.in(0).dtype, {kUnknownDim});
  } else if (ctx.Ranked({0})) {
    STINT_ASSIGN_OR_RETURN(const int64_t axis,
                           NormalizeAxis(op.axis, ctx.in(0).rank()));
    Shape out = ctx.in(0).dims;
    out[axis] = kUnknownDim;
    ctx.SetOutput(0, ctx.in(0).dtype, std::move(out));
  }
  return OkStatus();
}

Status Infer(const NonMaxSuppression& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(
      ExpectInputs(ctx, {Accepts::kFloat, Accepts::kFloat},
                   {Accepts::kInteger, Accepts::kFloat, Accepts::kFloat}));
  STINT_RETURN_IF_ERROR(ExpectRank(ctx, 0, 3));
  STINT_RETURN_IF_ERROR(ExpectRank(ctx, 1, 3));
  if (op.center_point_box != 0 && op.center_point_box != 1) {
    return InvalidArgument("center_point_box " +
                           std::to_string(op.center_point_box));
  }
  ctx.SetOutput(0, DType::kInt64, {kUnknownDim, 3});
  if (!ctx.Ranked({0, 1})) return OkStatus();
  const Shape& boxes = ctx.in(0).dims;
  const Shape& scores = ctx.in(1).dims;
  const auto differ = [](int64_t a, int64_t b) {
    return IsKnown(a) && IsKnown(b) && a != b;
  };
  if (differ(boxes[2], 4) || differ(boxes[0], scores[0]) ||
      differ(boxes[1], scores[2])) {
    return InvalidArgument("boxes " + ToString(boxes) + " do not fit scores " +
                           ToString(scores));
  }
  return OkStatus();
}

}  // namespace stint
