#include "model/ops/signal/signal.h"

#include <algorithm>

#include "core/tensor/element_access.h"
#include "model/ops/input_checks.h"

namespace stint {
namespace {

constexpr WindowName kNames[] = {
    {WindowKind::kHann, "HannWindow"},
    {WindowKind::kHamming, "HammingWindow"},
    {WindowKind::kBlackman, "BlackmanWindow"},
};

// Six minutes of audio at 44.1 kHz in one transform.
constexpr int64_t kMaxLength = int64_t{1} << 24;

// Input i is absent or known.
bool IsSettled(const InferContext& ctx, int i) {
  return !ctx.has(i) || ctx.constant(i) != nullptr;
}

Status CheckLength(const char* what, int64_t length) {
  if (length >= 1 && length <= kMaxLength) return OkStatus();
  return InvalidArgument(std::string(what) + " " + std::to_string(length));
}

}  // namespace

std::span<const WindowName> KindNames(const SignalWindow*) { return kNames; }

Result<DftPlan> PlanDft(const DFT& op, const Shape& x, const Tensor* length,
                        const Tensor* axis) {
  const int64_t rank = static_cast<int64_t>(x.size());
  if (rank < 2 || (x.back() != 1 && x.back() != 2)) {
    return InvalidArgument("input " + ToString(x) +
                           ", expected a last dimension of 1 or 2");
  }
  DftPlan plan;
  STINT_ASSIGN_OR_RETURN(
      plan.axis,
      NormalizeAxis(axis != nullptr ? ScalarAs<int64_t>(*axis) : -2, rank));
  if (plan.axis == rank - 1) {
    return InvalidArgument("the axis is that of complex numbers");
  }
  if (op.onesided && !op.inverse && x.back() != 1) {
    return InvalidArgument("onesided needs a real signal");
  }
  plan.length = length != nullptr           ? ScalarAs<int64_t>(*length)
                : op.inverse && op.onesided ? 2 * (x[plan.axis] - 1)
                                            : x[plan.axis];
  STINT_RETURN_IF_ERROR(CheckLength("dft_length", plan.length));
  plan.outputs = op.onesided && !op.inverse ? plan.length / 2 + 1 : plan.length;
  return plan;
}

Status Infer(const DFT& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectInputs(ctx, {Accepts::kFloat},
                                     {Accepts::kInteger, Accepts::kInteger}));
  STINT_RETURN_IF_ERROR(ExpectOneElement(ctx, 1));
  STINT_RETURN_IF_ERROR(ExpectOneElement(ctx, 2));
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  if (!ctx.Ranked({0}) || !ctx.in(0).IsConcrete() || !IsSettled(ctx, 1) ||
      !IsSettled(ctx, 2)) {
    return OkStatus();
  }
  Shape out = ctx.in(0).dims;
  STINT_ASSIGN_OR_RETURN(const DftPlan plan,
                         PlanDft(op, out, ctx.constant(1), ctx.constant(2)));
  out[plan.axis] = plan.outputs;
  out.back() = op.onesided && op.inverse ? 1 : 2;
  ctx.SetOutput(0, ctx.in(0).dtype, std::move(out));
  return OkStatus();
}

Result<StftPlan> PlanStft(const STFT& op, const Shape& signal,
                          const Tensor& step, const Shape* window,
                          const Tensor* length) {
  if (signal.size() != 3 || (signal[2] != 1 && signal[2] != 2)) {
    return InvalidArgument("signal " + ToString(signal) +
                           ", expected [n,length,1] or [n,length,2]");
  }
  if (op.onesided && signal[2] != 1) {
    return InvalidArgument("onesided needs a real signal");
  }
  StftPlan plan;
  plan.step = ScalarAs<int64_t>(step);
  plan.length = length != nullptr   ? ScalarAs<int64_t>(*length)
                : window != nullptr ? (*window)[0]
                                    : signal[1];
  STINT_RETURN_IF_ERROR(CheckLength("frame_step", plan.step));
  STINT_RETURN_IF_ERROR(CheckLength("frame_length", plan.length));
  if (window != nullptr && (*window)[0] != plan.length) {
    return InvalidArgument("window " + ToString(*window) + " for frames of " +
                           std::to_string(plan.length));
  }
  if (plan.length > signal[1]) {
    return InvalidArgument("frames of " + std::to_string(plan.length) +
                           " in a signal of " + std::to_string(signal[1]));
  }
  plan.frames = (signal[1] - plan.length) / plan.step + 1;
  plan.bins = op.onesided ? plan.length / 2 + 1 : plan.length;
  return plan;
}

Status Infer(const STFT& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectInputs(ctx, {Accepts::kFloat, Accepts::kInteger},
                                     {Accepts::kFloat, Accepts::kInteger}));
  STINT_RETURN_IF_ERROR(ExpectOneElement(ctx, 1));
  STINT_RETURN_IF_ERROR(ExpectRank(ctx, 2, 1));
  STINT_RETURN_IF_ERROR(ExpectOneElement(ctx, 3));
  ctx.SetOutputDType(0, ctx.in(0).dtype);
  if (!ctx.in(0).IsConcrete() || !ctx.constant(1) || !IsSettled(ctx, 3) ||
      (ctx.has(2) && !ctx.in(2).IsConcrete())) {
    return OkStatus();
  }
  const Shape& signal = ctx.in(0).dims;
  STINT_ASSIGN_OR_RETURN(
      const StftPlan plan,
      PlanStft(op, signal, *ctx.constant(1),
               ctx.has(2) ? &ctx.in(2).dims : nullptr, ctx.constant(3)));
  ctx.SetOutput(0, ctx.in(0).dtype, {signal[0], plan.frames, plan.bins, 2});
  return OkStatus();
}

Status Infer(const SignalWindow& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectInputs(ctx, {Accepts::kInteger}));
  STINT_RETURN_IF_ERROR(ExpectOneElement(ctx, 0));
  if (!IsFloat(op.output_datatype) && !IsInteger(op.output_datatype)) {
    return InvalidArgument("output of type " +
                           std::string(DTypeName(op.output_datatype)));
  }
  ctx.SetOutput(0, op.output_datatype, {kUnknownDim});
  if (const Tensor* size = ctx.constant(0)) {
    const int64_t count = ScalarAs<int64_t>(*size);
    STINT_RETURN_IF_ERROR(CheckLength("size", count));
    ctx.SetOutput(0, op.output_datatype, {count});
  }
  return OkStatus();
}

Status Infer(const MelWeightMatrix& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(
      ExpectInputs(ctx, {Accepts::kInteger, Accepts::kInteger,
                         Accepts::kInteger, Accepts::kFloat, Accepts::kFloat}));
  for (int i = 0; i < 5; ++i) {
    STINT_RETURN_IF_ERROR(ExpectOneElement(ctx, i));
  }
  if (!IsFloat(op.output_datatype) && !IsInteger(op.output_datatype)) {
    return InvalidArgument("output of type " +
                           std::string(DTypeName(op.output_datatype)));
  }
  Shape out = {kUnknownDim, kUnknownDim};
  if (const Tensor* length = ctx.constant(1)) {
    out[0] = ScalarAs<int64_t>(*length);
    STINT_RETURN_IF_ERROR(CheckLength("dft_length", out[0]));
    out[0] = out[0] / 2 + 1;
  }
  if (const Tensor* bins = ctx.constant(0)) {
    out[1] = ScalarAs<int64_t>(*bins);
    STINT_RETURN_IF_ERROR(CheckLength("num_mel_bins", out[1]));
  }
  ctx.SetOutput(0, op.output_datatype, std::move(out));
  return OkStatus();
}

}  // namespace stint
