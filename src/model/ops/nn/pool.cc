#include "model/ops/nn/pool.h"

namespace stint {
namespace {

template <typename Pool>
Status InferPool(const Pool& op, InferContext& ctx) {
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  if (!ctx.Ranked({0})) return OkStatus();
  const Shape& x = ctx.in(0).dims;
  STINT_ASSIGN_OR_RETURN(const Window window, PoolWindow(op, x));
  STINT_ASSIGN_OR_RETURN(
      Shape out,
      WindowOutput(window, Shape(x.begin() + 2, x.end()), op.ceil_mode != 0));
  out.insert(out.begin(), {x[0], x[1]});
  ctx.SetOutput(0, ctx.in(0).dtype, std::move(out));
  return OkStatus();
}

Status InferGlobalPool(InferContext& ctx) {
  ValueType type = ctx.in(0);
  if (type.ranked && type.rank() < 2) {
    return InvalidArgument("input " + ToString(type.dims) +
                           ", expected [n,c,...]");
  }
  for (size_t i = 2; i < type.dims.size(); ++i) type.dims[i] = 1;
  ctx.SetOutput(0, type);
  return OkStatus();
}

}  // namespace

Status Infer(const MaxPool& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(InferPool(op, ctx));
  if (ctx.num_outputs() > 1) {
    ValueType indices = ctx.out(0);
    indices.dtype = DType::kInt64;
    ctx.SetOutput(1, indices);
  }
  return OkStatus();
}
Status Infer(const AveragePool& op, InferContext& ctx) {
  return InferPool(op, ctx);
}
Status Infer(const LpPool& op, InferContext& ctx) { return InferPool(op, ctx); }
Status Infer(const GlobalAveragePool&, InferContext& ctx) {
  return InferGlobalPool(ctx);
}
Status Infer(const GlobalMaxPool&, InferContext& ctx) {
  return InferGlobalPool(ctx);
}
Status Infer(const GlobalLpPool&, InferContext& ctx) {
  return InferGlobalPool(ctx);
}

}  // namespace stint
