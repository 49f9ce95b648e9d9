#include "model/ops/recurrent/recurrent.h"

#include "model/ops/cost.h"
#include "model/ops/input_checks.h"

namespace stint {
namespace {

int64_t Times(int64_t a, int64_t b) {
  return IsKnown(a) && IsKnown(b) ? a * b : kUnknownDim;
}

template <typename Layer>
Status CheckAttributes(const Layer& op, int64_t directions) {
  if (op.direction != "forward" && op.direction != "reverse" &&
      op.direction != "bidirectional") {
    return InvalidArgument("direction is '" + op.direction + "'");
  }
  if (op.layout != 0 && op.layout != 1) {
    return InvalidArgument("layout is " + std::to_string(op.layout));
  }
  return ReadGateActivations(op.activations, op.activation_alpha,
                             op.activation_beta, UsualActivations(op),
                             directions)
      .status();
}

// Checks every input and sets the outputs: all h, then `states` last ones.
template <typename Layer>
Status InferLayer(const Layer& op, int64_t gates, int states,
                  InferContext& ctx) {
  const int64_t directions = op.direction == "bidirectional" ? 2 : 1;
  STINT_RETURN_IF_ERROR(RequireInputs(ctx, {0, 1, 2}));
  STINT_RETURN_IF_ERROR(RequireFloats(ctx, {0, 1, 2, 3, 5, 6, 7}));
  STINT_RETURN_IF_ERROR(RequireIntegers(ctx, {4}));
  STINT_RETURN_IF_ERROR(CheckAttributes(op, directions));
  const DType dtype = ctx.in(0).dtype;
  for (int i = 0; i <= states; ++i) ctx.SetOutputDType(i, dtype);
  for (int i : {0, 1, 2}) STINT_RETURN_IF_ERROR(RequireRank(ctx, i, 3));
  if (!ctx.Ranked({0, 2})) return OkStatus();
  const Shape& x = ctx.in(0).dims;
  const int64_t length = x[op.layout == 1 ? 1 : 0];
  const int64_t batch = x[op.layout == 1 ? 0 : 1];
  const int64_t hidden = ctx.in(2).dims[2];
  if (op.hidden_size != 0 && DimsDiffer(op.hidden_size, hidden)) {
    return InvalidArgument("hidden_size is " + std::to_string(op.hidden_size) +
                           ", the weights have " + std::to_string(hidden));
  }
  const int64_t rows = Times(gates, hidden);
  const Shape state = op.layout == 1 ? Shape{batch, directions, hidden}
                                     : Shape{directions, batch, hidden};
  STINT_RETURN_IF_ERROR(RequireDims(ctx, 1, {directions, rows, x[2]}));
  STINT_RETURN_IF_ERROR(RequireDims(ctx, 2, {directions, rows, hidden}));
  STINT_RETURN_IF_ERROR(RequireDims(ctx, 3, {directions, Times(2, rows)}));
  STINT_RETURN_IF_ERROR(RequireDims(ctx, 4, {batch}));
  STINT_RETURN_IF_ERROR(RequireDims(ctx, 5, state));
  STINT_RETURN_IF_ERROR(RequireDims(ctx, 6, state));
  STINT_RETURN_IF_ERROR(RequireDims(ctx, 7, {directions, Times(3, hidden)}));
  ctx.SetOutput(0, dtype,
                op.layout == 1 ? Shape{batch, length, directions, hidden}
                               : Shape{length, directions, batch, hidden});
  for (int i = 1; i <= states; ++i) ctx.SetOutput(i, dtype, state);
  return OkStatus();
}

// Every step multiplies the weights of x and of h.
int64_t LayerMacs(const InferContext& ctx) {
  if (!ctx.Ranked({0, 1, 2}) || ctx.in(0).rank() != 3) return 0;
  const Shape& x = ctx.in(0).dims;
  return CountKnown({x[0], x[1]}) *
         (CountKnown(ctx.in(1).dims) + CountKnown(ctx.in(2).dims));
}

}  // namespace

Status Infer(const RNN& op, InferContext& ctx) {
  return InferLayer(op, 1, 1, ctx);
}
Status Infer(const GRU& op, InferContext& ctx) {
  return InferLayer(op, 3, 1, ctx);
}
Status Infer(const LSTM& op, InferContext& ctx) {
  return InferLayer(op, 4, 2, ctx);
}

int64_t Macs(const RNN&, const InferContext& ctx) { return LayerMacs(ctx); }
int64_t Macs(const GRU&, const InferContext& ctx) { return LayerMacs(ctx); }
int64_t Macs(const LSTM&, const InferContext& ctx) { return LayerMacs(ctx); }

}  // namespace stint
