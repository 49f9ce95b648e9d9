#include "engine/bind/fast/fast.h"
#include "engine/bind/fused_activation.h"
#include "engine/bind/reference/linear/linear.h"
#include "kernels/conv_f32/conv_f32_table.h"

namespace stint {
namespace {

// 1-D and 2-D convolutions; others run on the reference.
class ConvKernel : public NodeKernel {
 public:
  ConvKernel(const Conv& op, const Activation& act, Isa isa)
      : op_(op), act_(act), isa_(isa) {}

  size_t ScratchBytes(const EvalContext& ctx) const override {
    const auto shape = ShapeOf(ctx);
    if (!shape.ok()) return 0;
    const ConvF32Kernel& kernel = PickConvF32(*shape, isa_);
    return static_cast<size_t>(
        kernel.scratch_bytes(kernel, *shape, ctx.pool()->threads()));
  }

  Status Run(EvalContext& ctx) override {
    ConvF32Args args;
    STINT_ASSIGN_OR_RETURN(args.shape, ShapeOf(ctx));
    args.x = ctx.in(0).data<float>();
    args.w = ctx.in(1).data<float>();
    args.bias = ctx.has(2) ? ctx.in(2).data<float>() : nullptr;
    args.y = ctx.out(0).data<float>();
    args.scratch = static_cast<float*>(ctx.scratch());
    args.residual = ctx.has(3) ? ctx.in(3).data<float>() : nullptr;
    args.act = act_;
    const ConvF32Kernel& kernel = PickConvF32(args.shape, isa_);
    kernel.run(kernel, args, ctx.pool());
    return OkStatus();
  }

 private:
  Result<ConvF32Shape> ShapeOf(const EvalContext& ctx) const {
    const Shape& x = ctx.in(0).shape();
    const Shape& w = ctx.in(1).shape();
    STINT_ASSIGN_OR_RETURN(const Window window, ConvWindow(op_, x, w));
    STINT_ASSIGN_OR_RETURN(
        const Shape out,
        WindowOutput(window, Shape(x.begin() + 2, x.end()), false));
    const bool flat = x.size() == 3;  // height of 1
    const size_t last = flat ? 0 : 1;
    ConvF32Shape s;
    s.batch = x[0];
    s.groups = op_.group;
    s.in_channels = x[1];
    s.out_channels = w[0];
    s.in_h = flat ? 1 : x[2];
    s.in_w = x.back();
    s.out_h = flat ? 1 : out[0];
    s.out_w = out.back();
    s.kernel_h = flat ? 1 : window.kernel[0];
    s.kernel_w = window.kernel[last];
    s.stride_h = flat ? 1 : window.strides[0];
    s.stride_w = window.strides[last];
    s.dilation_h = flat ? 1 : window.dilations[0];
    s.dilation_w = window.dilations[last];
    s.pad_top = flat ? 0 : window.pads[0];
    s.pad_left = window.pads[last];
    return s;
  }

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
