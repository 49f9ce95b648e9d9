#include "engine/bind/conv_shape.h"
#include "engine/bind/fast/fast.h"
#include "engine/bind/fused_activation.h"
#include "kernels/conv_f32/conv_f32_table.h"

namespace stint {
namespace {

// 1-D and 2-D convolutions; others run on the reference.
class ConvKernel : public NodeKernel {
 public:
  ConvKernel(const Conv& op, const Activation& act, Isa isa)
      : op_(op), act_(act), isa_(isa) {}

  Result<std::unique_ptr<StepState>> Prepare(const EvalContext& ctx) override {
    auto state = std::make_unique<State>();
    STINT_ASSIGN_OR_RETURN(
        state->shape, ConvShapeOf(op_, ctx.in(0).shape(), ctx.in(1).shape()));
    state->kernel = &PickConvF32(state->shape, isa_);
    return std::unique_ptr<StepState>(std::move(state));
  }

  size_t ScratchBytes(const EvalContext& ctx) const override {
    const auto& state = ctx.state<State>();
    return static_cast<size_t>(state.kernel->scratch_bytes(
        *state.kernel, state.shape, ctx.pool()->threads()));
  }

  Status Run(EvalContext& ctx) override {
    const auto& state = ctx.state<State>();
    ConvF32Args args;
    args.shape = state.shape;
    args.x = ctx.in(0).data<float>();
    args.w = ctx.in(1).data<float>();
    args.bias = ctx.has(2) ? ctx.in(2).data<float>() : nullptr;
    args.y = ctx.out(0).data<float>();
    args.scratch = static_cast<float*>(ctx.scratch());
    args.residual = ctx.has(3) ? ctx.in(3).data<float>() : nullptr;
    args.act = act_;
    state.kernel->run(*state.kernel, args, ctx.pool());
    return OkStatus();
  }

  KernelChoice Explain(const EvalContext& ctx) const override {
    return {ctx.state<State>().kernel->name, "default", ""};
  }

 private:
  struct State : StepState {
    ConvF32Shape shape;
    const ConvF32Kernel* kernel = nullptr;
  };

  const Conv op_;
  const Activation act_;
  const Isa isa_;
};

bool Fits(const InferContext& ctx) {
  return AllFloat32(ctx) && ctx.Ranked({0}) && ctx.in(0).rank() <= 4;
}

}  // namespace

NodeKernelPtr Bind(const Conv& op, const InferContext& ctx,
                   const KernelSite& site) {
  if (!Fits(ctx)) return nullptr;
  return std::make_unique<ConvKernel>(op, Activation::None(), site.isa);
}

NodeKernelPtr Bind(const FusedConv& op, const InferContext& ctx,
                   const KernelSite& site) {
  if (!Fits(ctx)) return nullptr;
  return std::make_unique<ConvKernel>(op, ActivationOf(op), site.isa);
}

}  // namespace stint
