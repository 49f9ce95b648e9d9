#include "model/ops/quantize/quantize.h"

#include <algorithm>

#include "model/ops/input_checks.h"

namespace stint {
namespace {

bool AllKnown(const Shape& dims) {
  return std::all_of(dims.begin(), dims.end(), IsKnown);
}

// Dimensions of one element.
bool IsOne(const Shape& dims) {
  return std::all_of(dims.begin(), dims.end(),
                     [](int64_t dim) { return dim == 1; });
}

bool IsNarrowFloat(DType dtype) {
  return IsFloat(dtype) && DTypeSize(dtype) == 1;
}

// Scale and zero point fit x and each other.
Status CheckScales(const InferContext& ctx, int64_t axis, int64_t block_size) {
  if (block_size < 0) {
    return InvalidArgument("block_size is " + std::to_string(block_size));
  }
  if (ctx.Ranked({1, 2})) {
    const Shape& scale = ctx.in(1).dims;
    const Shape& zero = ctx.in(2).dims;
    const bool both_one = IsOne(scale) && IsOne(zero);
    if (!both_one) STINT_RETURN_IF_ERROR(RequireDims(ctx, 2, scale));
  }
  if (!ctx.Ranked({0, 1}) || !AllKnown(ctx.in(0).dims) ||
      !AllKnown(ctx.in(1).dims)) {
    return OkStatus();
  }
  return MakeScaleGrid(ctx.in(0).dims, ctx.in(1).dims, axis, block_size)
      .status();
}

}  // namespace

bool QuantizedRange(DType dtype, int32_t* low, int32_t* high) {
  const auto set = [&](int32_t l, int32_t h) {
    *low = l;
    *high = h;
    return true;
  };
  switch (dtype) {
    case DType::kInt8:
      return set(-128, 127);
    case DType::kUInt8:
      return set(0, 255);
    case DType::kInt16:
      return set(-32768, 32767);
    case DType::kUInt16:
      return set(0, 65535);
    case DType::kInt4:
      return set(-8, 7);
    case DType::kUInt4:
      return set(0, 15);
    case DType::kInt2:
      return set(-2, 1);
    case DType::kUInt2:
      return set(0, 3);
    default:
      return false;
  }
}

Result<ScaleGrid> MakeScaleGrid(const Shape& x, const Shape& scale,
                                int64_t axis, int64_t block_size) {
  ScaleGrid grid;
  if (IsOne(scale)) {
    grid.inner = ProductOf(x.data(), x.data() + x.size());
    grid.one_scale = true;
    return grid;
  }
  const int64_t rank = static_cast<int64_t>(x.size());
  STINT_ASSIGN_OR_RETURN(const int64_t at, NormalizeAxis(axis, rank));
  grid.length = x[at];
  grid.inner = ProductOf(x.data() + at + 1, x.data() + rank);
  Shape expected = {grid.length};
  if (block_size > 0) {
    expected = x;
    expected[at] = x[at] / block_size + (x[at] % block_size != 0 ? 1 : 0);
    grid.block = block_size;
    grid.inner_stride = 1;
    grid.axis_stride = grid.inner;
    grid.outer_stride = expected[at] * grid.inner;
  } else {
    grid.axis_stride = 1;
  }
  if (scale != expected) {
    return InvalidArgument("scale is " + ToString(scale) + ", expected [] or " +
                           ToString(expected));
  }
  return grid;
}

Status Infer(const QuantizeLinear& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(RequireInputs(ctx, {0, 1}));
  STINT_RETURN_IF_ERROR(RequireNumbers(ctx, {0, 1, 2}));
  const DType to = ctx.has(2) ? ctx.in(2).dtype : op.output_dtype;
  int32_t low = 0;
  int32_t high = 0;
  if (!QuantizedRange(to, &low, &high) &&
      (!IsNarrowFloat(to) || to == DType::kFloat8E8M0)) {
    return InvalidArgument("cannot quantize to " + std::string(DTypeName(to)));
  }
  STINT_RETURN_IF_ERROR(CheckScales(ctx, op.axis, op.block_size));
  ValueType type = ctx.in(0);
  type.dtype = to;
  ctx.SetOutput(0, std::move(type));
  return OkStatus();
}

Status Infer(const DequantizeLinear& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(RequireInputs(ctx, {0, 1}));
  STINT_RETURN_IF_ERROR(RequireNumbers(ctx, {0, 1, 2}));
  const DType to = op.output_dtype_of_scale ? ctx.in(1).dtype : op.output_dtype;
  if (!IsFloat(to)) {
    return InvalidArgument("cannot dequantize to " +
                           std::string(DTypeName(to)));
  }
  STINT_RETURN_IF_ERROR(CheckScales(ctx, op.axis, op.block_size));
  ValueType type = ctx.in(0);
  type.dtype = to;
  ctx.SetOutput(0, std::move(type));
  return OkStatus();
}

Status Infer(const DynamicQuantizeLinear&, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(RequireInputs(ctx, {0}));
  STINT_RETURN_IF_ERROR(RequireFloats(ctx, {0}));
  ValueType type = ctx.in(0);
  type.dtype = DType::kUInt8;
  ctx.SetOutput(0, std::move(type));
  ctx.SetOutput(1, DType::kFloat32, {});
  ctx.SetOutput(2, DType::kUInt8, {});
  return OkStatus();
}

}  // namespace stint
