#include "model/ops/elementwise/activation.h"

namespace stint {
namespace {

Status SameAsInput(InferContext& ctx) {
  ctx.SetOutput(0, ctx.in(0));
  return OkStatus();
}

}  // namespace

Status Infer(const LeakyRelu&, InferContext& ctx) { return SameAsInput(ctx); }
Status Infer(const Elu&, InferContext& ctx) { return SameAsInput(ctx); }
Status Infer(const Celu&, InferContext& ctx) { return SameAsInput(ctx); }
Status Infer(const Selu&, InferContext& ctx) { return SameAsInput(ctx); }
Status Infer(const HardSigmoid&, InferContext& ctx) { return SameAsInput(ctx); }
Status Infer(const ThresholdedRelu&, InferContext& ctx) {
  return SameAsInput(ctx);
}
Status Infer(const Shrink&, InferContext& ctx) { return SameAsInput(ctx); }
Status Infer(const Swish&, InferContext& ctx) { return SameAsInput(ctx); }

Status Infer(const Gelu& op, InferContext& ctx) {
  if (op.approximate != "none" && op.approximate != "tanh") {
    return InvalidArgument("approximate is '" + op.approximate +
                           "', expected 'none' or 'tanh'");
  }
  return SameAsInput(ctx);
}

Status Infer(const IsInf&, InferContext& ctx) {
  ValueType type = ctx.in(0);
  type.dtype = DType::kBool;
  ctx.SetOutput(0, type);
  return OkStatus();
}

Status Infer(const Clip&, InferContext& ctx) { return SameAsInput(ctx); }

}  // namespace stint
