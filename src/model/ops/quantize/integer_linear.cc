#include "model/ops/quantize/integer_linear.h"

#include "model/ops/cost.h"
#include "model/ops/input_checks.h"
#include "model/ops/linear/matmul.h"
#include "model/ops/quantize/quantize.h"

namespace stint {
namespace {

// Input i has one element, or is a vector of `count` ones.
Status RequireOneOr(const InferContext& ctx, int i, int64_t count) {
  if (!ctx.Ranked({i})) return OkStatus();
  const Shape& dims = ctx.in(i).dims;
  const int64_t size = ProductOf(dims.data(), dims.data() + dims.size());
  if (!IsKnown(size) || size == 1) return OkStatus();
  if (dims.size() == 1 && (!IsKnown(count) || dims[0] == count)) {
    return OkStatus();
  }
  if (dims.size() > 1) {
    return Unsupported("quantization of input " + std::to_string(i) +
                       " by batch: " + ToString(dims));
  }
  return InvalidArgument("input " + std::to_string(i) + " is " +
                         ToString(dims) + ", expected one element or [" +
                         std::to_string(count) + "]");
}

int64_t RowsOf(const ValueType& a) {
  if (!a.ranked) return kUnknownDim;
  return a.rank() > 1 ? a.dims[a.rank() - 2] : 1;
}
int64_t ColumnsOf(const ValueType& b) {
  if (!b.ranked) return kUnknownDim;
  return b.rank() > 1 ? b.dims[b.rank() - 1] : 1;
}

Status InferProduct(int a, int b, DType dtype, InferContext& ctx) {
  ctx.SetOutputDType(0, dtype);
  if (!ctx.Ranked({a, b})) return OkStatus();
  STINT_ASSIGN_OR_RETURN(Shape dims,
                         MatMulShape(ctx.in(a).dims, ctx.in(b).dims));
  ctx.SetOutput(0, dtype, std::move(dims));
  return OkStatus();
}

Status InferConv(const Conv& op, int w, int bias, DType dtype,
                 InferContext& ctx) {
  std::vector<InferContext::Input> inputs = {{&ctx.in(0)}, {&ctx.in(w)}};
  if (bias >= 0 && ctx.has(bias)) inputs.push_back({&ctx.in(bias)});
  InferContext plain(std::move(inputs), 1);
  STINT_RETURN_IF_ERROR(Infer(op, plain));
  ValueType type = plain.outputs()[0];
  type.dtype = dtype;
  ctx.SetOutput(0, std::move(type));
  return OkStatus();
}

Status CheckQuantizedOutput(const InferContext& ctx) {
  int32_t low = 0;
  int32_t high = 0;
  STINT_RETURN_IF_ERROR(RequireFloats(ctx, {1, 4, 6}));
  STINT_RETURN_IF_ERROR(RequireIntegers(ctx, {0, 2, 3, 5, 7, 8}));
  if (QuantizedRange(ctx.in(7).dtype, &low, &high)) return OkStatus();
  return InvalidArgument("cannot quantize to " +
                         std::string(DTypeName(ctx.in(7).dtype)));
}

int64_t ProductMacs(int a, const InferContext& ctx) {
  if (!ctx.Ranked({a}) || ctx.in(a).dims.empty()) return 0;
  return CountKnown(ctx.outputs()[0].dims) *
         CountKnown({ctx.in(a).dims.back()});
}

int64_t ConvMacs(int w, const InferContext& ctx) {
  if (!ctx.Ranked({w}) || ctx.in(w).dims.empty()) return 0;
  const Shape& dims = ctx.in(w).dims;
  return CountKnown(ctx.outputs()[0].dims) *
         CountKnown(Shape(dims.begin() + 1, dims.end()));
}

int64_t OutputChannels(const ValueType& w) {
  return w.ranked && w.rank() > 0 ? w.dims[0] : kUnknownDim;
}

}  // namespace

Status Infer(const MatMulInteger&, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(RequireInputs(ctx, {0, 1}));
  STINT_RETURN_IF_ERROR(RequireIntegers(ctx, {0, 1, 2, 3}));
  STINT_RETURN_IF_ERROR(RequireOneOr(ctx, 2, RowsOf(ctx.in(0))));
  STINT_RETURN_IF_ERROR(RequireOneOr(ctx, 3, ColumnsOf(ctx.in(1))));
  return InferProduct(0, 1, DType::kInt32, ctx);
}

Status Infer(const ConvInteger& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(RequireInputs(ctx, {0, 1}));
  STINT_RETURN_IF_ERROR(RequireIntegers(ctx, {0, 1, 2, 3}));
  STINT_RETURN_IF_ERROR(RequireOneOr(ctx, 2, 1));
  STINT_RETURN_IF_ERROR(RequireOneOr(ctx, 3, OutputChannels(ctx.in(1))));
  return InferConv(GeometryOf(op), 1, -1, DType::kInt32, ctx);
}

Status Infer(const QLinearMatMul&, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(RequireInputs(ctx, {0, 1, 2, 3, 4, 5, 6, 7}));
  STINT_RETURN_IF_ERROR(CheckQuantizedOutput(ctx));
  for (int i : {1, 2}) {
    STINT_RETURN_IF_ERROR(RequireOneOr(ctx, i, RowsOf(ctx.in(0))));
  }
  for (int i : {4, 5}) {
    STINT_RETURN_IF_ERROR(RequireOneOr(ctx, i, ColumnsOf(ctx.in(3))));
  }
  for (int i : {6, 7}) STINT_RETURN_IF_ERROR(RequireOneOr(ctx, i, 1));
  return InferProduct(0, 3, ctx.in(7).dtype, ctx);
}

Status Infer(const QLinearConv& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(RequireInputs(ctx, {0, 1, 2, 3, 4, 5, 6, 7}));
  STINT_RETURN_IF_ERROR(CheckQuantizedOutput(ctx));
  for (int i : {1, 2, 6, 7}) STINT_RETURN_IF_ERROR(RequireOneOr(ctx, i, 1));
  for (int i : {4, 5}) {
    STINT_RETURN_IF_ERROR(RequireOneOr(ctx, i, OutputChannels(ctx.in(3))));
  }
  return InferConv(GeometryOf(op), 3, 8, ctx.in(7).dtype, ctx);
}

int64_t Macs(const MatMulInteger&, const InferContext& ctx) {
  return ProductMacs(0, ctx);
}
int64_t Macs(const ConvInteger&, const InferContext& ctx) {
  return ConvMacs(1, ctx);
}
int64_t Macs(const QLinearMatMul&, const InferContext& ctx) {
  return ProductMacs(0, ctx);
}
int64_t Macs(const QLinearConv&, const InferContext& ctx) {
  return ConvMacs(3, ctx);
}

}  // namespace stint
