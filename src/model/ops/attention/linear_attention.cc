#include "model/ops/attention/attention.h"
#include "model/ops/cost.h"
#include "model/ops/input_checks.h"

namespace stint {
namespace {

Status CheckRule(const LinearAttention& op, const InferContext& ctx) {
  const bool gated =
      op.update_rule == "gated" || op.update_rule == "gated_delta";
  const bool delta =
      op.update_rule == "delta" || op.update_rule == "gated_delta";
  if (!gated && !delta && op.update_rule != "linear") {
    return InvalidArgument("update_rule is '" + op.update_rule + "'");
  }
  if (gated != ctx.has(4) || delta != ctx.has(5)) {
    return InvalidArgument("decay and beta do not fit update_rule '" +
                           op.update_rule + "'");
  }
  if (op.kv_num_heads < 1 || op.q_num_heads < 1 ||
      op.q_num_heads % op.kv_num_heads != 0) {
    return InvalidArgument(std::to_string(op.q_num_heads) +
                           " query heads do not divide into " +
                           std::to_string(op.kv_num_heads));
  }
  return OkStatus();
}

// hidden / heads; an error when that leaves a rest.
Result<int64_t> SizeOfHead(int64_t hidden, int64_t heads) {
  if (!IsKnown(hidden)) return kUnknownDim;
  if (hidden % heads == 0) return hidden / heads;
  return InvalidArgument(std::to_string(hidden) +
                         " elements do not divide into " +
                         std::to_string(heads) + " heads");
}

// Input i is [batch, length, one of two sizes].
Status RequireLastOneOf(const InferContext& ctx, int i, const Shape& x,
                        int64_t a, int64_t b) {
  if (!ctx.Ranked({i})) return OkStatus();
  STINT_RETURN_IF_ERROR(RequireDims(ctx, i, {x[0], x[1], kUnknownDim}));
  const int64_t last = ctx.in(i).dims[2];
  if (!DimsDiffer(last, a) || !DimsDiffer(last, b)) return OkStatus();
  return InvalidArgument("input " + std::to_string(i) + " is " +
                         ToString(ctx.in(i).dims) +
                         ", expected a last dimension of " + std::to_string(a) +
                         " or " + std::to_string(b));
}

}  // namespace

Status Infer(const LinearAttention& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(RequireInputs(ctx, {0, 1, 2}));
  STINT_RETURN_IF_ERROR(RequireFloats(ctx, {0, 1, 2, 3, 4, 5}));
  STINT_RETURN_IF_ERROR(CheckRule(op, ctx));
  const DType dtype = ctx.in(0).dtype;
  const DType state_dtype = ctx.has(3) ? ctx.in(3).dtype : dtype;
  ctx.SetOutputDType(0, dtype);
  ctx.SetOutputDType(1, state_dtype);
  for (int i : {0, 1, 2, 4, 5}) {
    STINT_RETURN_IF_ERROR(RequireRank(ctx, i, 3));
  }
  if (!ctx.Ranked({0, 1, 2})) return OkStatus();
  const Shape& q = ctx.in(0).dims;
  STINT_ASSIGN_OR_RETURN(const int64_t size, SizeOfHead(q[2], op.q_num_heads));
  STINT_ASSIGN_OR_RETURN(const int64_t value_size,
                         SizeOfHead(ctx.in(2).dims[2], op.kv_num_heads));
  const int64_t key = IsKnown(size) ? size * op.kv_num_heads : kUnknownDim;
  STINT_RETURN_IF_ERROR(RequireDims(ctx, 1, {q[0], q[1], key}));
  STINT_RETURN_IF_ERROR(RequireDims(ctx, 2, {q[0], q[1], kUnknownDim}));
  const Shape state = {q[0], op.kv_num_heads, size, value_size};
  STINT_RETURN_IF_ERROR(RequireDims(ctx, 3, state));
  STINT_RETURN_IF_ERROR(RequireLastOneOf(ctx, 4, q, op.kv_num_heads, key));
  STINT_RETURN_IF_ERROR(RequireLastOneOf(ctx, 5, q, op.kv_num_heads, 1));
  ctx.SetOutput(
      0, dtype,
      {q[0], q[1],
       IsKnown(value_size) ? value_size * op.q_num_heads : kUnknownDim});
  ctx.SetOutput(1, state_dtype, state);
  return OkStatus();
}

// The state is written once per key head and read once per query head.
int64_t Macs(const LinearAttention& op, const InferContext& ctx) {
  if (!ctx.Ranked({0, 2}) || op.q_num_heads < 1 || op.kv_num_heads < 1) {
    return 0;
  }
  const Shape& q = ctx.in(0).dims;
  return CountKnown(q) * (CountKnown({ctx.in(2).dims[2]}) / op.kv_num_heads) *
         (op.q_num_heads + op.kv_num_heads) / op.q_num_heads;
}

}  // namespace stint
