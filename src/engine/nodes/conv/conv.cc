#include "core/base/checked_math.h"
#include "core/base/float_bits.h"
#include "engine/bind/conv_shape.h"
#include "engine/choose/plain_choice.h"
#include "engine/nodes/conv/conv_codes.h"
#include "engine/nodes/nodes.h"
#include "engine/reference/fused_activation.h"

namespace stint {
namespace {

// 1-D and 2-D convolutions; others run on the reference. In bf16 the weights
// are held in two bytes each and widened into scratch: what does not run on
// blocked images has few of them.
class ConvKernel : public NodeKernel {
 public:
  ConvKernel(const Conv& op, const Activation& act, Isa isa,
             std::vector<uint16_t> narrow)
      : op_(op), act_(act), isa_(isa), narrow_(std::move(narrow)) {}

  Result<std::unique_ptr<StepState>> Prepare(const EvalContext& ctx) override {
    auto state = std::make_unique<State>();
    STINT_ASSIGN_OR_RETURN(
        state->shape, ConvShapeOf(op_, ctx.in(0).shape(), ctx.in(1).shape()));
    state->kernel = &ChoosePlain(state->shape, isa_);
    return std::unique_ptr<StepState>(std::move(state));
  }

  size_t ScratchBytes(const EvalContext& ctx) const override {
    const auto& state = ctx.state<State>();
    return WideBytes() +
           static_cast<size_t>(state.kernel->scratch_bytes(
               *state.kernel, state.shape, ctx.pool()->threads()));
  }

  Status Run(EvalContext& ctx) override {
    const auto& state = ctx.state<State>();
    ConvF32Args args;
    args.shape = state.shape;
    args.x = ctx.in(0).data<float>();
    args.w = narrow_.empty() ? ctx.in(1).data<float>() : Widen(ctx);
    args.bias = ctx.has(2) ? ctx.in(2).data<float>() : nullptr;
    args.y = ctx.out(0).data<float>();
    args.scratch = static_cast<float*>(ctx.scratch()) + WideBytes() / 4;
    args.residual = ctx.has(3) ? ctx.in(3).data<float>() : nullptr;
    args.act = act_;
    state.kernel->run(*state.kernel, args, ctx.pool());
    return OkStatus();
  }

  KernelChoice Explain(const EvalContext& ctx) const override {
    return ExplainPlain(ctx.state<State>().shape, isa_);
  }

 private:
  size_t WideBytes() const {
    return static_cast<size_t>(
        RoundUp(static_cast<int64_t>(narrow_.size()) * 4, 64));
  }
  const float* Widen(const EvalContext& ctx) const {
    float* w = static_cast<float*>(ctx.scratch());
    for (size_t i = 0; i < narrow_.size(); ++i) {
      w[i] = BFloat16ToFloat(narrow_[i]);
    }
    return w;
  }

  struct State : StepState {
    ConvF32Shape shape;
    const ConvF32Kernel* kernel = nullptr;
  };

  const Conv op_;
  const Activation act_;
  const Isa isa_;
  const std::vector<uint16_t> narrow_;  // empty: weights are float32
};

std::vector<uint16_t> RoundWeights(const InferContext& ctx,
                                   const KernelSite& site) {
  std::vector<uint16_t> narrow;
  const Tensor* w = ctx.constant(1);
  if (site.precision != Precision::kBFloat16 || w == nullptr) return narrow;
  narrow.reserve(static_cast<size_t>(w->size()));
  for (int64_t i = 0; i < w->size(); ++i) {
    narrow.push_back(FloatToBFloat16(w->data<float>()[i]));
  }
  return narrow;
}

bool Fits(const InferContext& ctx) {
  return AllFloat32(ctx) && ctx.Ranked({0}) && ctx.in(0).rank() <= 4;
}

}  // namespace

NodeKernelPtr Bind(const Conv& op, const InferContext& ctx,
                   const KernelSite& site) {
  if (!Fits(ctx)) return nullptr;
  return std::make_unique<ConvKernel>(op, Activation::None(), site.isa,
                                      RoundWeights(ctx, site));
}

NodeKernelPtr Bind(const FusedConv& op, const InferContext& ctx,
                   const KernelSite& site) {
  if (!Fits(ctx)) return nullptr;
  if (site.coded.weights != nullptr) {
    const Tensor* w = ctx.constant(1);
    const Tensor* b = ctx.has(2) ? ctx.constant(2) : nullptr;
    if (w == nullptr || (ctx.has(2) && b == nullptr)) return nullptr;
    std::vector<float> bias;
    if (b != nullptr) {
      bias.assign(b->data<float>(), b->data<float>() + b->size());
    }
    return MakeConvCodes(op, 1, w->shape(), std::move(bias), site);
  }
  return std::make_unique<ConvKernel>(op, ActivationOf(op), site.isa,
                                      RoundWeights(ctx, site));
}

}  // namespace stint
