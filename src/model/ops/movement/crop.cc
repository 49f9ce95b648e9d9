#include "model/ops/movement/crop.h"

#include <numeric>

#include "model/ops/input_checks.h"

namespace stint {

Status Infer(const CenterCropPad& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectInputs(ctx, {Accepts::kAny, Accepts::kInteger}));
  STINT_RETURN_IF_ERROR(ExpectRank(ctx, 1, 1));
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  if (!ctx.Ranked({0})) return OkStatus();
  Shape out = ctx.in(0).dims;
  std::vector<int64_t> axes(out.size());
  std::iota(axes.begin(), axes.end(), 0);
  if (!op.axes.empty()) {
    STINT_ASSIGN_OR_RETURN(axes, NormalizeAxes(op.axes, ctx.in(0).rank()));
  }
  const auto sizes = ctx.Ints(1);
  if (sizes && sizes->size() != axes.size()) {
    return InvalidArgument("shape has " + std::to_string(sizes->size()) +
                           " sizes, expected " + std::to_string(axes.size()));
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    out[axes[i]] = sizes ? (*sizes)[i] : kUnknownDim;
  }
  if (sizes) {
    for (int64_t size : *sizes) {
      if (size < 0) return InvalidArgument("size " + std::to_string(size));
    }
  }
  ctx.SetOutput(0, ctx.in(0).dtype, std::move(out));
  return OkStatus();
}

Status Infer(const ReverseSequence& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectInputs(ctx, {Accepts::kAny, Accepts::kInteger}));
  STINT_RETURN_IF_ERROR(ExpectRank(ctx, 1, 1));
  ctx.SetOutput(0, ctx.in(0));
  if (!ctx.Ranked({0, 1})) return OkStatus();
  const bool fits = (op.batch_axis == 0 && op.time_axis == 1) ||
                    (op.batch_axis == 1 && op.time_axis == 0);
  if (!fits || ctx.in(0).rank() < 2) {
    return InvalidArgument("batch axis " + std::to_string(op.batch_axis) +
                           " and time axis " + std::to_string(op.time_axis) +
                           " of " + ToString(ctx.in(0).dims));
  }
  const int64_t batch = ctx.in(0).dims[op.batch_axis];
  const int64_t lengths = ctx.in(1).dims[0];
  if (IsKnown(batch) && IsKnown(lengths) && batch != lengths) {
    return InvalidArgument(std::to_string(lengths) + " lengths for " +
                           std::to_string(batch) + " sequences");
  }
  return OkStatus();
}

Status Infer(const Trilu&, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(
      ExpectInputs(ctx, {Accepts::kAny}, {Accepts::kInteger}));
  STINT_RETURN_IF_ERROR(ExpectOneElement(ctx, 1));
  if (ctx.Ranked({0}) && ctx.in(0).rank() < 2) {
    return InvalidArgument("input " + ToString(ctx.in(0).dims) +
                           " is not made of matrices");
  }
  ctx.SetOutput(0, ctx.in(0));
  return OkStatus();
}

}  // namespace stint
