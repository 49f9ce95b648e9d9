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
    return ConvShapeOf(op_, ctx.in(0).shape(), ctx.in(1).shape());
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
