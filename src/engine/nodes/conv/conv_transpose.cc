#include "engine/nodes/nodes.h"
#include "kernels/conv_f32/transposed.h"

namespace stint {
namespace {

// The convolution that leads back from y to x; 1-D ones have a height of 1.
ConvF32Shape BackwardShape(const ConvTranspose& op, const TransposedWindow& t,
                           const Shape& x, const Shape& w) {
  const bool flat = x.size() == 3;
  const size_t last = flat ? 0 : 1;
  ConvF32Shape s;
  s.batch = x[0];
  s.groups = op.group;
  s.in_channels = w[1] * op.group;
  s.out_channels = x[1];
  s.in_h = flat ? 1 : t.output[0];
  s.in_w = t.output[last];
  s.out_h = flat ? 1 : x[2];
  s.out_w = x.back();
  s.kernel_h = flat ? 1 : w[2];
  s.kernel_w = w.back();
  s.stride_h = flat ? 1 : t.window.strides[0];
  s.stride_w = t.window.strides[last];
  s.dilation_h = flat ? 1 : t.window.dilations[0];
  s.dilation_w = t.window.dilations[last];
  s.pad_top = flat ? 0 : t.window.pads[0];
  s.pad_left = t.window.pads[last];
  return s;
}

// 1-D and 2-D with constant weights; others run on the reference.
class ConvTransposeKernel : public NodeKernel {
 public:
  ConvTransposeKernel(const ConvTranspose& op, Tensor weights, Isa isa)
      : op_(op), weights_(std::move(weights)), gemm_(PickGemmF32(isa)) {}

  Result<std::unique_ptr<StepState>> Prepare(const EvalContext& ctx) override {
    const Shape& x = ctx.in(0).shape();
    const Shape& w = weights_.shape();
    STINT_ASSIGN_OR_RETURN(const TransposedWindow t,
                           ResolveTransposed(op_, x, w));
    auto state = std::make_unique<State>();
    state->shape = BackwardShape(op_, t, x, w);
    if (packed_.raw() == nullptr) {
      STINT_ASSIGN_OR_RETURN(
          packed_, Tensor::Allocate(DType::kFloat32, {weights_.size()}));
      ConvTransposedF32Pack(state->shape, weights_.data<float>(),
                            packed_.data<float>());
    }
    return std::unique_ptr<StepState>(std::move(state));
  }

  size_t ScratchBytes(const EvalContext& ctx) const override {
    return static_cast<size_t>(ConvTransposedF32ScratchBytes(
        gemm_, ctx.state<State>().shape, ctx.pool()->threads()));
  }

  Status Run(EvalContext& ctx) override {
    ConvTransposedF32Args args;
    args.shape = ctx.state<State>().shape;
    args.x = ctx.in(0).data<float>();
    args.w = packed_.data<float>();
    args.bias = ctx.has(2) ? ctx.in(2).data<float>() : nullptr;
    args.y = ctx.out(0).data<float>();
    args.scratch = static_cast<float*>(ctx.scratch());
    ConvTransposedF32(gemm_, args, ctx.pool());
    return OkStatus();
  }

 private:
  struct State : StepState {
    ConvF32Shape shape;
  };

  const ConvTranspose op_;
  const Tensor weights_;
  const GemmF32Kernel& gemm_;
  Tensor packed_;  // depends on nothing but the weights
};

}  // namespace

NodeKernelPtr Bind(const ConvTranspose& op, const InferContext& ctx,
                   const KernelSite& site) {
  const Tensor* w = ctx.constant(1);
  if (!AllFloat32(ctx) || w == nullptr || !ctx.Ranked({0}) ||
      ctx.in(0).rank() > 4) {
    return nullptr;
  }
  return std::make_unique<ConvTransposeKernel>(op, *w, site.isa);
}

}  // namespace stint
