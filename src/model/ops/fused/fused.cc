#include "model/ops/fused/fused.h"

#include <algorithm>
#include <array>

namespace stint {
namespace {

constexpr std::array<std::string_view, 8> kActivations = {
    "none",    "gelu", "gelu_tanh",  "silu",
    "sigmoid", "tanh", "hard_swish", "hard_sigmoid"};

Status CheckActivation(const std::string& name) {
  if (IsFusedActivation(name)) return OkStatus();
  return InvalidArgument("activation '" + name + "' is not known");
}

// The columns of all weights before input `end` together; kUnknownDim when one
// is not known.
int64_t ColumnsOf(const FusedLinear& op, const InferContext& ctx, int end) {
  int64_t columns = 0;
  for (int i = FusedLinear::kFirstWeight; i < end; i += 2) {
    if (!ctx.Ranked({i}) || ctx.in(i).rank() != 2) return kUnknownDim;
    const int64_t n = ctx.in(i).dims[op.transB ? 0 : 1];
    if (!IsKnown(n)) return kUnknownDim;
    columns += n;
  }
  return columns;
}

Status CheckWeight(const FusedLinear& op, const InferContext& ctx, int i) {
  if (!ctx.has(i)) {
    return InvalidArgument("weight " + std::to_string(i) + " is missing");
  }
  if (!ctx.Ranked({0, i})) return OkStatus();
  const ValueType& w = ctx.in(i);
  if (w.rank() != 2 || ctx.in(0).rank() < 1) {
    return InvalidArgument("weight " + std::to_string(i) + " is " +
                           ToString(w.dims) + ", expected a matrix");
  }
  const int64_t k = ctx.in(0).dims.back();
  const int64_t rows = w.dims[op.transB ? 1 : 0];
  if (IsKnown(k) && IsKnown(rows) && k != rows) {
    return InvalidArgument("weight " + std::to_string(i) + " is " +
                           ToString(w.dims) + ", the input has " +
                           std::to_string(k) + " columns");
  }
  return OkStatus();
}

Status InferLinear(const FusedLinear& op, InferContext& ctx, int end) {
  STINT_RETURN_IF_ERROR(CheckActivation(op.activation));
  for (int i = FusedLinear::kFirstWeight; i < end; i += 2) {
    STINT_RETURN_IF_ERROR(CheckWeight(op, ctx, i));
  }
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  if (!ctx.Ranked({0})) return OkStatus();
  Shape dims = ctx.in(0).dims;
  dims.back() = ColumnsOf(op, ctx, end);
  if (ctx.has(1)) {
    if (!ctx.Ranked({1})) return OkStatus();
    STINT_ASSIGN_OR_RETURN(dims, BroadcastShapes(dims, ctx.in(1).dims));
  }
  ctx.SetOutput(0, ctx.in(0).dtype, std::move(dims));
  return OkStatus();
}

// A number for each column.
Status CheckVector(const InferContext& ctx, int i, int64_t columns) {
  if (!ctx.has(i) || !ctx.Ranked({i})) return OkStatus();
  const Shape& dims = ctx.in(i).dims;
  if (dims.size() == 1 &&
      (!IsKnown(dims[0]) || !IsKnown(columns) || dims[0] == columns)) {
    return OkStatus();
  }
  return InvalidArgument("input " + std::to_string(i) + " is " +
                         ToString(dims) + ", expected " +
                         ToString(Shape{columns}));
}

int64_t MacsOf(const FusedLinear& op, const InferContext& ctx, int end) {
  if (!ctx.Ranked({0}) || ctx.in(0).rank() < 1) return 0;
  int64_t macs = std::max<int64_t>(ColumnsOf(op, ctx, end), 1);
  for (int64_t dim : ctx.in(0).dims) macs *= std::max<int64_t>(dim, 1);
  return macs;
}

}  // namespace

bool IsFusedActivation(std::string_view name) {
  return std::find(kActivations.begin(), kActivations.end(), name) !=
         kActivations.end();
}

Status Infer(const FusedLinear& op, InferContext& ctx) {
  if (ctx.num_inputs() <= FusedLinear::kFirstWeight) {
    return InvalidArgument("has no weight");
  }
  return InferLinear(op, ctx, ctx.num_inputs());
}

Status Infer(const FusedLinearNorm& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(InferLinear(op, ctx, FusedLinearNorm::kScale));
  const int64_t columns = ColumnsOf(op, ctx, FusedLinearNorm::kScale);
  STINT_RETURN_IF_ERROR(CheckVector(ctx, FusedLinearNorm::kScale, columns));
  return CheckVector(ctx, FusedLinearNorm::kShift, columns);
}

Status Infer(const FusedConv& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(CheckActivation(op.activation));
  return Infer(static_cast<const Conv&>(op), ctx);
}

Status Infer(const FusedAttention& op, InferContext& ctx) {
  if (op.heads < 1) return InvalidArgument("heads must be positive");
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  if (!ctx.Ranked({0})) return OkStatus();
  Shape dims = ctx.in(0).dims;
  const bool packed = !ctx.has(1);
  if (dims.size() != 3 || packed != !ctx.has(2)) {
    return InvalidArgument("expected q, k, v or all three in one, of rank 3");
  }
  const int64_t parts = op.heads * (packed ? 3 : 1);
  if (IsKnown(dims[2])) {
    if (dims[2] % parts != 0) {
      return InvalidArgument(std::to_string(dims[2]) +
                             " columns do not divide into " +
                             std::to_string(op.heads) + " heads");
    }
    if (packed) dims[2] /= 3;
  }
  if (!packed && ctx.Ranked({2}) && ctx.in(2).rank() == 3) {
    dims[2] = ctx.in(2).dims[2];
  }
  ctx.SetOutput(0, ctx.in(0).dtype, std::move(dims));
  return OkStatus();
}

int64_t Macs(const FusedLinear& op, const InferContext& ctx) {
  return MacsOf(op, ctx, ctx.num_inputs());
}

int64_t Macs(const FusedLinearNorm& op, const InferContext& ctx) {
  return MacsOf(op, ctx, FusedLinearNorm::kScale);
}

int64_t Macs(const FusedAttention&, const InferContext& ctx) {
  if (!ctx.Ranked({0}) || ctx.in(0).rank() != 3) return 0;
  const Shape& q = ctx.in(0).dims;
  const bool packed = !ctx.Ranked({1});
  const int64_t keys = packed ? q[1] : ctx.in(1).dims[1];
  const int64_t hidden = packed ? q[2] / 3 : q[2];
  int64_t macs = 2;
  for (int64_t dim : {q[0], q[1], keys, hidden}) {
    macs *= std::max<int64_t>(dim, 1);
  }
  return macs;
}

}  // namespace stint
