#include "model/ops/linear/matmul.h"

#include "model/ops/cost.h"

namespace stint {

Result<Shape> MatMulShape(const Shape& a, const Shape& b) {
  if (a.empty() || b.empty()) {
    return InvalidArgument("a matrix product needs rank >= 1, got " +
                           ToString(a) + " and " + ToString(b));
  }
  const int64_t ka = a.back();
  const int64_t kb = b.size() == 1 ? b[0] : b[b.size() - 2];
  if (IsKnown(ka) && IsKnown(kb) && ka != kb) {
    return InvalidArgument("inner dimensions differ: " + ToString(a) + " x " +
                           ToString(b));
  }
  const Shape batch_a(a.begin(), a.end() - (a.size() > 1 ? 2 : 1));
  const Shape batch_b(b.begin(), b.end() - (b.size() > 1 ? 2 : 1));
  STINT_ASSIGN_OR_RETURN(Shape out, BroadcastShapes(batch_a, batch_b));
  if (a.size() > 1) out.push_back(a[a.size() - 2]);
  if (b.size() > 1) out.push_back(b.back());
  return out;
}

Status Infer(const MatMul&, InferContext& ctx) {
  if (!ctx.Ranked({0, 1})) {
    ctx.SetOutputDType(0, ctx.in(0).dtype);
    return OkStatus();
  }
  STINT_ASSIGN_OR_RETURN(Shape dims,
                         MatMulShape(ctx.in(0).dims, ctx.in(1).dims));
  ctx.SetOutput(0, ctx.in(0).dtype, std::move(dims));
  return OkStatus();
}

Status Infer(const Gemm& op, InferContext& ctx) {
  if (!ctx.Ranked({0, 1})) {
    ctx.SetOutputDType(0, ctx.in(0).dtype);
    return OkStatus();
  }
  const Shape& a = ctx.in(0).dims;
  const Shape& b = ctx.in(1).dims;
  if (a.size() != 2 || b.size() != 2) {
    return InvalidArgument("A and B must be matrices, got " + ToString(a) +
                           " and " + ToString(b));
  }
  const int64_t ka = op.transA ? a[0] : a[1];
  const int64_t kb = op.transB ? b[1] : b[0];
  if (IsKnown(ka) && IsKnown(kb) && ka != kb) {
    return InvalidArgument("inner dimensions differ: A " + ToString(a) +
                           ", B " + ToString(b));
  }
  const Shape out = {op.transA ? a[1] : a[0], op.transB ? b[0] : b[1]};
  if (ctx.Ranked({2})) {
    STINT_ASSIGN_OR_RETURN(const Shape with_c,
                           BroadcastShapes(out, ctx.in(2).dims));
    if (with_c.size() != 2) {
      return InvalidArgument("C " + ToString(ctx.in(2).dims) +
                             " does not broadcast to " + ToString(out));
    }
  }
  ctx.SetOutput(0, ctx.in(0).dtype, out);
  return OkStatus();
}

int64_t Macs(const MatMul&, const InferContext& ctx) {
  if (!ctx.Ranked({0}) || ctx.in(0).dims.empty()) return 0;
  return CountKnown(ctx.outputs()[0].dims) *
         CountKnown({ctx.in(0).dims.back()});
}

int64_t Macs(const Gemm& op, const InferContext& ctx) {
  if (!ctx.Ranked({0})) return 0;
  return CountKnown(ctx.outputs()[0].dims) *
         CountKnown({ctx.in(0).dims[op.transA ? 0 : 1]});
}

}  // namespace stint
