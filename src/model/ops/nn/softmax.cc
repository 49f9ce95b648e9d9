#include "model/ops/nn/softmax.h"

namespace stint {
namespace {

Status InferAlongAxis(int64_t axis, InferContext& ctx) {
  if (ctx.Ranked({0}) && ctx.in(0).rank() > 0) {
    STINT_RETURN_IF_ERROR(NormalizeAxis(axis, ctx.in(0).rank()).status());
  }
  ctx.SetOutput(0, ctx.in(0));
  return OkStatus();
}

}  // namespace

Status Infer(const Softmax& op, InferContext& ctx) {
  return InferAlongAxis(op.axis, ctx);
}
Status Infer(const LogSoftmax& op, InferContext& ctx) {
  return InferAlongAxis(op.axis, ctx);
}
Status Infer(const Hardmax& op, InferContext& ctx) {
  return InferAlongAxis(op.axis, ctx);
}

}  // namespace stint
