#include "engine/bind/fast/blocked_conv_bf16.h"

#include "engine/bind/conv_shape.h"
#include "engine/bind/fused_activation.h"
#include "kernels/conv_blocked_bf16/conv_blocked_bf16.h"

namespace stint {
namespace {

// The weights are packed for the kernel that fits the shape; another shape may
// need another kernel, which is then kept beside it.
class BlockedConvBf16 : public NodeKernel {
 public:
  BlockedConvBf16(const BlockedConv& op, Tensor weights,
                  std::vector<float> bias, Isa isa)
      : op_(op),
        act_(ActivationOf(op)),
        weights_(std::move(weights)),
        bias_(std::move(bias)),
        isa_(isa) {}

  Result<std::unique_ptr<StepState>> Prepare(const EvalContext& ctx) override {
    STINT_ASSIGN_OR_RETURN(const ConvF32Shape shape, ShapeOf(ctx.in(0)));
    STINT_ASSIGN_OR_RETURN(const Packed* packed, PackFor(shape, ctx));
    return std::unique_ptr<StepState>(std::make_unique<Choice>(shape, packed));
  }

  size_t ScratchBytes(const EvalContext& ctx) const override {
    const auto& choice = ctx.state<Choice>();
    return static_cast<size_t>(ConvBlockedBf16ScratchBytes(
        choice.packed->kernel, choice.shape, ctx.pool()->threads()));
  }

  Status Run(EvalContext& ctx) override {
    const auto& choice = ctx.state<Choice>();
    ConvBlockedF32Args args;
    args.shape = choice.shape;
    args.x = ctx.in(0).data<float>();
    args.bias = bias_.empty() ? nullptr : bias_.data();
    args.residual = ctx.has(3) ? ctx.in(3).data<float>() : nullptr;
    args.act = act_;
    args.y = ctx.out(0).data<float>();
    args.scratch = static_cast<float*>(ctx.scratch());
    ConvBlockedBf16(choice.packed->kernel, args,
                    choice.packed->data.data<uint16_t>(), ctx.pool());
    return OkStatus();
  }

 private:
  struct Packed {
    ConvBlockedBf16Kernel kernel;
    Tensor data;
  };
  struct Choice : StepState {
    Choice(const ConvF32Shape& s, const Packed* p) : shape(s), packed(p) {}
    ConvF32Shape shape;
    const Packed* packed;
  };

  Result<ConvF32Shape> ShapeOf(const Tensor& x) const {
    Shape dims = x.shape();
    if (x.rank() == 5) {
      dims = PlainDims(dims);
      dims[1] = weights_.dim(1) * op_.group;
    }
    return ConvShapeOf(op_, dims, weights_.shape());
  }

  Result<const Packed*> PackFor(const ConvF32Shape& shape,
                                const EvalContext& ctx) {
    const ImageLayout input =
        ctx.in(0).rank() == 5 ? ImageLayout::kBlocked : ImageLayout::kPlain;
    const ConvBlockedBf16Kernel kernel =
        PickConvBlockedBf16(shape, input, isa_);
    if (kernel == ConvBlockedBf16Kernel{}) {
      return InternalError("no kernel for a blocked convolution");
    }
    for (const auto& packed : packed_) {
      if (packed->kernel == kernel) return packed.get();
    }
    const int64_t bytes = ConvBlockedBf16PackedBytes(kernel, shape);
    auto packed = std::make_unique<Packed>(Packed{kernel, {}});
    STINT_ASSIGN_OR_RETURN(
        packed->data, Tensor::Allocate(DType::kUInt16, {CeilDiv(bytes, 2)}));
    ConvBlockedBf16Pack(kernel, shape, weights_.data<float>(),
                        packed->data.data<uint16_t>(), ctx.pool());
    packed_.push_back(std::move(packed));
    return packed_.back().get();
  }

  const BlockedConv op_;
  const Activation act_;
  const Tensor weights_;
  const std::vector<float> bias_;  // zeros up to a block; empty: none
  const Isa isa_;
  std::vector<std::unique_ptr<Packed>> packed_;
};

}  // namespace

NodeKernelPtr MakeBlockedConvBf16(const BlockedConv& op, const Tensor& weights,
                                  std::vector<float> bias,
                                  const KernelSite& site) {
  return std::make_unique<BlockedConvBf16>(op, weights, std::move(bias),
                                           site.isa);
}

}  // namespace stint
