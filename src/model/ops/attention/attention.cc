#include "model/ops/attention/attention.h"

#include <algorithm>

#include "model/ops/cost.h"
#include "model/ops/input_checks.h"

namespace stint {
namespace {

// One of q, k, v: batch, heads, length, size.
struct HeadShape {
  int64_t batch, heads, length, size;
};

Result<HeadShape> SplitHeads(const char* what, const Shape& dims,
                             int64_t heads) {
  if (dims.size() == 4) return HeadShape{dims[0], dims[1], dims[2], dims[3]};
  if (heads < 1) {
    return InvalidArgument(std::string(what) + " " + ToString(dims) +
                           " needs a number of heads");
  }
  if (IsKnown(dims[2]) && dims[2] % heads != 0) {
    return InvalidArgument(std::string(what) + " " + ToString(dims) +
                           " does not divide into " + std::to_string(heads) +
                           " heads");
  }
  return HeadShape{dims[0], heads, dims[1],
                   IsKnown(dims[2]) ? dims[2] / heads : kUnknownDim};
}

int64_t Times(int64_t a, int64_t b) {
  return IsKnown(a) && IsKnown(b) ? a * b : kUnknownDim;
}

// A mask broadcasts to [batch, heads, length, total], short in the last.
Status CheckMask(const Shape& mask, const AttentionSizes& s) {
  const int64_t full[4] = {s.batch, s.q_heads, s.q_length, s.total()};
  bool fits = !mask.empty() && mask.size() <= 4;
  for (size_t i = 0; fits && i < mask.size(); ++i) {
    const int64_t dim = mask[mask.size() - 1 - i];
    const int64_t limit = full[3 - i];
    if (!IsKnown(dim) || !IsKnown(limit)) continue;
    fits = i == 0 ? dim <= limit : dim == 1 || dim == limit;
  }
  if (fits) return OkStatus();
  return InvalidArgument(
      "mask " + ToString(mask) + " does not fit [" + std::to_string(s.batch) +
      "," + std::to_string(s.q_heads) + "," + std::to_string(s.q_length) + "," +
      std::to_string(s.total()) + "]");
}

Status CheckAttributes(const Attention& op) {
  if (op.qk_matmul_output_mode < 0 || op.qk_matmul_output_mode > 3) {
    return InvalidArgument("qk_matmul_output_mode is " +
                           std::to_string(op.qk_matmul_output_mode));
  }
  if (op.left_window_size < -1 || op.right_window_size < -1) {
    return InvalidArgument("a window size is below -1");
  }
  return OkStatus();
}

}  // namespace

Result<AttentionSizes> SizeAttention(const Attention& op, const Shape& q,
                                     const Shape& k, const Shape& v,
                                     const Shape* past) {
  if ((q.size() != 3 && q.size() != 4) || k.size() != q.size() ||
      v.size() != q.size() || (past != nullptr && past->size() != 4)) {
    return InvalidArgument("query " + ToString(q) + ", key " + ToString(k) +
                           " and value " + ToString(v) +
                           " must all be 3-D or 4-D");
  }
  STINT_ASSIGN_OR_RETURN(const HeadShape hq,
                         SplitHeads("query", q, op.q_num_heads));
  STINT_ASSIGN_OR_RETURN(const HeadShape hk,
                         SplitHeads("key", k, op.kv_num_heads));
  STINT_ASSIGN_OR_RETURN(const HeadShape hv,
                         SplitHeads("value", v, op.kv_num_heads));
  const bool grouped = !IsKnown(hq.heads) || !IsKnown(hk.heads) ||
                       (hk.heads > 0 && hq.heads % hk.heads == 0);
  if (DimsDiffer(hq.batch, hk.batch) || DimsDiffer(hq.batch, hv.batch) ||
      DimsDiffer(hk.heads, hv.heads) || DimsDiffer(hk.length, hv.length) ||
      DimsDiffer(hq.size, hk.size) || !grouped) {
    return InvalidArgument("query " + ToString(q) + ", key " + ToString(k) +
                           " and value " + ToString(v) + " do not fit");
  }
  return AttentionSizes{q.size() == 3,
                        hq.batch,
                        hq.heads,
                        hk.heads,
                        hq.length,
                        hk.length,
                        past != nullptr ? (*past)[2] : 0,
                        hk.size,
                        hv.size};
}

Status Infer(const Attention& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(RequireInputs(ctx, {0, 1, 2}));
  STINT_RETURN_IF_ERROR(RequireFloats(ctx, {0, 1, 2, 4, 5}));
  STINT_RETURN_IF_ERROR(RequireNumbers(ctx, {3}));
  STINT_RETURN_IF_ERROR(RequireIntegers(ctx, {6}));
  STINT_RETURN_IF_ERROR(CheckAttributes(op));
  if (ctx.has(4) != ctx.has(5) || (ctx.has(4) && ctx.has(6))) {
    return InvalidArgument(
        "past key and value come together, without a count of valid keys");
  }
  const DType dtype = ctx.in(0).dtype;
  const DType value_dtype = ctx.in(2).dtype;
  ctx.SetOutputDType(0, dtype);
  ctx.SetOutputDType(1, ctx.in(1).dtype);
  ctx.SetOutputDType(2, value_dtype);
  ctx.SetOutputDType(3, dtype);
  if (!ctx.Ranked({0, 1, 2}) || (ctx.has(4) && !ctx.Ranked({4, 5}))) {
    return OkStatus();
  }
  const Shape* past = ctx.has(4) ? &ctx.in(4).dims : nullptr;
  STINT_ASSIGN_OR_RETURN(
      const AttentionSizes s,
      SizeAttention(op, ctx.in(0).dims, ctx.in(1).dims, ctx.in(2).dims, past));
  STINT_RETURN_IF_ERROR(
      RequireDims(ctx, 4, {s.batch, s.kv_heads, s.past, s.size}));
  STINT_RETURN_IF_ERROR(
      RequireDims(ctx, 5, {s.batch, s.kv_heads, s.past, s.value_size}));
  STINT_RETURN_IF_ERROR(RequireDims(ctx, 6, {s.batch}));
  if (ctx.Ranked({3})) {
    STINT_RETURN_IF_ERROR(CheckMask(ctx.in(3).dims, s));
  }
  ctx.SetOutput(0, dtype,
                s.packed
                    ? Shape{s.batch, s.q_length, Times(s.q_heads, s.value_size)}
                    : Shape{s.batch, s.q_heads, s.q_length, s.value_size});
  ctx.SetOutput(1, ctx.in(1).dtype, {s.batch, s.kv_heads, s.total(), s.size});
  ctx.SetOutput(2, value_dtype, {s.batch, s.kv_heads, s.total(), s.value_size});
  ctx.SetOutput(3, dtype, {s.batch, s.q_heads, s.q_length, s.total()});
  return OkStatus();
}

int64_t Macs(const Attention& op, const InferContext& ctx) {
  if (!ctx.Ranked({0, 1, 2}) || (ctx.has(4) && !ctx.Ranked({4}))) return 0;
  const auto sizes =
      SizeAttention(op, ctx.in(0).dims, ctx.in(1).dims, ctx.in(2).dims,
                    ctx.has(4) ? &ctx.in(4).dims : nullptr);
  if (!sizes.ok()) return 0;
  return CountKnown(
             {sizes->batch, sizes->q_heads, sizes->q_length, sizes->total()}) *
         (CountKnown({sizes->size}) + CountKnown({sizes->value_size}));
}

Status Infer(const RotaryEmbedding& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(RequireInputs(ctx, {0, 1, 2}));
  STINT_RETURN_IF_ERROR(RequireFloats(ctx, {0, 1, 2}));
  STINT_RETURN_IF_ERROR(RequireIntegers(ctx, {3}));
  ctx.SetOutput(0, ctx.in(0));
  if (!ctx.Ranked({0})) return OkStatus();
  const Shape& x = ctx.in(0).dims;
  if (x.size() != 3 && x.size() != 4) {
    return InvalidArgument("input 0 is " + ToString(x) +
                           ", expected 3-D or 4-D");
  }
  STINT_ASSIGN_OR_RETURN(const HeadShape h,
                         SplitHeads("input 0", x, op.num_heads));
  const int64_t dim =
      op.rotary_embedding_dim != 0 ? op.rotary_embedding_dim : h.size;
  if (IsKnown(dim) && IsKnown(h.size) &&
      (dim % 2 != 0 || dim > h.size || op.rotary_embedding_dim < 0)) {
    return InvalidArgument("cannot rotate " + std::to_string(dim) + " of " +
                           std::to_string(h.size) + " elements");
  }
  const int64_t half = IsKnown(dim) ? dim / 2 : kUnknownDim;
  const Shape cache =
      ctx.has(3) ? Shape{kUnknownDim, half} : Shape{h.batch, h.length, half};
  STINT_RETURN_IF_ERROR(RequireDims(ctx, 1, cache));
  STINT_RETURN_IF_ERROR(RequireDims(ctx, 2, cache));
  if (ctx.Ranked({1, 2})) {
    STINT_RETURN_IF_ERROR(RequireDims(ctx, 2, ctx.in(1).dims));
  }
  return RequireDims(ctx, 3, {h.batch, h.length});
}

}  // namespace stint
