#include "model/ops/movement/scatter.h"

#include <algorithm>

#include "core/base/checked_math.h"
#include "core/tensor/element_access.h"
#include "model/ops/input_checks.h"

namespace stint {
namespace {

bool Differ(int64_t a, int64_t b) { return IsKnown(a) && IsKnown(b) && a != b; }

Status CheckReduction(const std::string& reduction, InferContext& ctx) {
  if (reduction == "none") return OkStatus();
  if (reduction != "add" && reduction != "mul" && reduction != "min" &&
      reduction != "max") {
    return InvalidArgument("reduction '" + reduction + "'");
  }
  return ExpectInputs(ctx,
                      {Accepts::kNumber, Accepts::kInteger, Accepts::kNumber});
}

Status CheckUpdates(const InferContext& ctx, const Shape& expected) {
  if (ctx.in(0).dtype != ctx.in(2).dtype) {
    return InvalidArgument("data and updates differ in element type");
  }
  const Shape& updates = ctx.in(2).dims;
  bool fits = updates.size() == expected.size();
  for (size_t i = 0; fits && i < updates.size(); ++i) {
    fits = !Differ(updates[i], expected[i]);
  }
  if (fits) return OkStatus();
  return InvalidArgument("updates " + ToString(updates) + ", expected " +
                         ToString(expected));
}

}  // namespace

Status Infer(const ScatterElements& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(
      ExpectInputs(ctx, {Accepts::kAny, Accepts::kInteger, Accepts::kAny}));
  STINT_RETURN_IF_ERROR(CheckReduction(op.reduction, ctx));
  ctx.SetOutput(0, ctx.in(0));
  if (!ctx.Ranked({0, 1, 2})) return OkStatus();
  const Shape& data = ctx.in(0).dims;
  const Shape& indices = ctx.in(1).dims;
  STINT_ASSIGN_OR_RETURN(const int64_t axis,
                         NormalizeAxis(op.axis, ctx.in(0).rank()));
  bool fits = data.size() == indices.size();
  for (size_t d = 0; fits && d < data.size(); ++d) {
    fits = static_cast<int64_t>(d) == axis || !IsKnown(data[d]) ||
           indices[d] <= data[d];
  }
  if (!fits) {
    return InvalidArgument("indices " + ToString(indices) +
                           " reach outside of data " + ToString(data));
  }
  return CheckUpdates(ctx, indices);
}

Status Infer(const ScatterND& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(
      ExpectInputs(ctx, {Accepts::kAny, Accepts::kInteger, Accepts::kAny}));
  STINT_RETURN_IF_ERROR(CheckReduction(op.reduction, ctx));
  ctx.SetOutput(0, ctx.in(0));
  if (!ctx.Ranked({0, 1, 2})) return OkStatus();
  const Shape& data = ctx.in(0).dims;
  const Shape& indices = ctx.in(1).dims;
  if (indices.empty()) return InvalidArgument("indices are a scalar");
  const int64_t depth = indices.back();
  if (!IsKnown(depth)) return OkStatus();
  if (depth > ctx.in(0).rank()) {
    return InvalidArgument("indices " + ToString(indices) +
                           " do not index data " + ToString(data));
  }
  Shape expected(indices.begin(), indices.end() - 1);
  expected.insert(expected.end(), data.begin() + depth, data.end());
  return CheckUpdates(ctx, expected);
}

Status Infer(const TensorScatter& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(
      ExpectInputs(ctx, {Accepts::kAny, Accepts::kAny}, {Accepts::kInteger}));
  if (op.mode != "linear" && op.mode != "circular") {
    return InvalidArgument("mode '" + op.mode + "'");
  }
  ctx.SetOutput(0, ctx.in(0));
  if (!ctx.Ranked({0, 1})) return OkStatus();
  const Shape& cache = ctx.in(0).dims;
  const Shape& update = ctx.in(1).dims;
  STINT_ASSIGN_OR_RETURN(const int64_t axis,
                         NormalizeAxis(op.axis, ctx.in(0).rank()));
  bool fits = cache.size() == update.size() &&
              ctx.in(0).dtype == ctx.in(1).dtype && axis > 0;
  for (size_t d = 0; fits && d < cache.size(); ++d) {
    fits = static_cast<int64_t>(d) == axis
               ? !IsKnown(cache[d]) || update[d] <= cache[d]
               : !Differ(cache[d], update[d]);
  }
  if (fits && ctx.Ranked({2})) {
    fits = ctx.in(2).rank() == 1 && !Differ(ctx.in(2).dims[0], cache[0]);
  }
  if (fits) return OkStatus();
  return InvalidArgument("update " + ToString(update) + " does not fit cache " +
                         ToString(cache));
}

Status Infer(const OneHot& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(
      ExpectInputs(ctx, {Accepts::kNumber, Accepts::kNumber, Accepts::kAny}));
  STINT_RETURN_IF_ERROR(ExpectOneElement(ctx, 1));
  ctx.SetOutputDType(0, ctx.in(2).dtype);
  if (ctx.Ranked({2}) &&
      (ctx.in(2).rank() != 1 || Differ(ctx.in(2).dims[0], 2))) {
    return InvalidArgument("values " + ToString(ctx.in(2).dims) +
                           ", expected [2]");
  }
  if (!ctx.Ranked({0})) return OkStatus();
  STINT_ASSIGN_OR_RETURN(const int64_t axis,
                         NormalizeAxis(op.axis, ctx.in(0).rank() + 1));
  int64_t depth = kUnknownDim;
  if (const Tensor* constant = ctx.constant(1)) {
    depth = ScalarAs<int64_t>(*constant);
    if (depth < 1) return InvalidArgument("depth " + std::to_string(depth));
  }
  Shape out = ctx.in(0).dims;
  out.insert(out.begin() + axis, depth);
  ctx.SetOutput(0, ctx.in(2).dtype, std::move(out));
  return OkStatus();
}

Result<Shape> UnpooledShape(const MaxUnpool& op, const Shape& x) {
  const size_t spatial = x.size() - 2;
  const auto at = [](const std::vector<int64_t>& values, size_t i,
                     int64_t fallback) {
    return values.empty() ? fallback : values[i];
  };
  if (op.kernel_shape.size() != spatial ||
      (!op.strides.empty() && op.strides.size() != spatial) ||
      (!op.pads.empty() && op.pads.size() != 2 * spatial)) {
    return InvalidArgument("the window does not fit input " + ToString(x));
  }
  Shape out = {x[0], x[1]};
  for (size_t d = 0; d < spatial; ++d) {
    int64_t size = 0;
    const bool counted =
        CheckedMul(x[d + 2] - 1, at(op.strides, d, 1), &size) &&
        CheckedAdd(size, op.kernel_shape[d], &size) &&
        CheckedAdd(size, -std::max<int64_t>(0, at(op.pads, d, 0)), &size) &&
        CheckedAdd(size, -std::max<int64_t>(0, at(op.pads, spatial + d, 0)),
                   &size);
    if (!counted || size < 0) {
      return InvalidArgument("the window does not fit input " + ToString(x));
    }
    out.push_back(size);
  }
  return out;
}

Status Infer(const MaxUnpool& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectInputs(ctx, {Accepts::kAny, Accepts::kInteger},
                                     {Accepts::kInteger}));
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  if (!ctx.Ranked({0, 1}) || !ctx.in(0).IsConcrete()) return OkStatus();
  const Shape& x = ctx.in(0).dims;
  if (x.size() < 3 || ctx.in(1).dims.size() != x.size()) {
    return InvalidArgument("indices " + ToString(ctx.in(1).dims) +
                           " do not fit input " + ToString(x));
  }
  for (size_t d = 0; d < x.size(); ++d) {
    if (Differ(x[d], ctx.in(1).dims[d])) {
      return InvalidArgument("indices " + ToString(ctx.in(1).dims) +
                             " do not fit input " + ToString(x));
    }
  }
  STINT_ASSIGN_OR_RETURN(Shape out, UnpooledShape(op, x));
  STINT_RETURN_IF_ERROR(ElementCount(out).status());
  if (ctx.has(2)) {
    const auto shape = ctx.Ints(2);
    if (!shape) return OkStatus();
    bool fits = shape->size() == out.size();
    for (size_t d = 0; fits && d < out.size(); ++d) {
      fits = (*shape)[d] >= out[d] && (d > 1 || (*shape)[d] == out[d]);
    }
    if (!fits) {
      return InvalidArgument("output_shape " + ToString(*shape) +
                             " does not hold " + ToString(out));
    }
    out = *shape;
  }
  ctx.SetOutput(0, ctx.in(0).dtype, std::move(out));
  return OkStatus();
}

Result<Window> BlockWindow(const Col2Im& op, const Shape& image,
                           const Shape& block) {
  return ResolveWindow(Window{block, op.strides, op.pads, op.dilations},
                       "NOTSET", image);
}

Status Infer(const Col2Im& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectInputs(
      ctx, {Accepts::kNumber, Accepts::kInteger, Accepts::kInteger}));
  STINT_RETURN_IF_ERROR(ExpectRank(ctx, 0, 3));
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  const auto image = ctx.Ints(1);
  const auto block = ctx.Ints(2);
  if (!image || !block || !ctx.Ranked({0})) return OkStatus();
  const Shape& x = ctx.in(0).dims;
  STINT_RETURN_IF_ERROR(ElementCount(*image).status());
  STINT_ASSIGN_OR_RETURN(const Window window, BlockWindow(op, *image, *block));
  STINT_ASSIGN_OR_RETURN(const Shape blocks,
                         WindowOutput(window, *image, false));
  STINT_ASSIGN_OR_RETURN(const int64_t count, ElementCount(blocks));
  STINT_ASSIGN_OR_RETURN(const int64_t taps, ElementCount(*block));
  if (Differ(x[2], count) || taps < 1 || (IsKnown(x[1]) && x[1] % taps != 0)) {
    return InvalidArgument("input " + ToString(x) + " is not " +
                           std::to_string(count) + " blocks of " +
                           ToString(*block));
  }
  Shape out = {x[0], IsKnown(x[1]) ? x[1] / taps : kUnknownDim};
  out.insert(out.end(), image->begin(), image->end());
  ctx.SetOutput(0, ctx.in(0).dtype, std::move(out));
  return OkStatus();
}

}  // namespace stint
