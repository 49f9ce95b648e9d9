#include "engine/nodes/conv/blocked_conv_bf16.h"

#include "engine/bind/conv_shape.h"
#include "engine/choose/bf16_choice.h"
#include "engine/reference/fused_activation.h"
#include "kernels/conv_blocked_bf16/conv_blocked_bf16.h"

namespace stint {
namespace {

std::string LayoutOf(const ConvBlockedBf16Kernel& kernel,
                     const ConvF32Shape& shape, ConvForm x) {
  const std::string family = "conv_blocked_bf16/";
  if (kernel.f32 == nullptr) {
    return family + "tiles" + std::to_string(ConvTilesLanes(shape, x));
  }
  return family + kernel.f32->primitive + std::to_string(kernel.f32->block);
}

ConvForm FormOf(const Tensor& image) {
  if (image.rank() == 4) return ConvForm::kPlain;
  return image.dtype() == DType::kBFloat16 ? ConvForm::kNarrow
                                           : ConvForm::kBlocked;
}

ConvForms FormsOf(const EvalContext& ctx, bool narrow) {
  return {FormOf(ctx.in(0)), ctx.has(3) ? FormOf(ctx.in(3)) : ConvForm::kNone,
          narrow ? ConvForm::kNarrow : ConvForm::kBlocked};
}

// The first image decides which kernel the weights are packed for; every kernel
// takes images of all sizes.
class BlockedConvBf16 : public NodeKernel {
 public:
  BlockedConvBf16(const BlockedConv& op, Tensor weights,
                  std::vector<float> bias, const KernelSite& site)
      : op_(op),
        act_(ActivationOf(op)),
        weights_(std::move(weights)),
        bias_(std::move(bias)),
        isa_(site.isa) {
    if (site.packed != nullptr) packed_ = *site.packed;
  }

  const PackedWeights* packed() const override {
    return packed_.parts.empty() ? nullptr : &packed_;
  }

  Result<std::unique_ptr<StepState>> Prepare(const EvalContext& ctx) override {
    auto prepared = std::make_unique<ConvState>();
    STINT_ASSIGN_OR_RETURN(prepared->shape, ShapeOf(ctx.in(0)));
    prepared->forms = FormsOf(ctx, op_.narrow != 0);
    if (kernel_ == ConvBlockedBf16Kernel{}) {
      STINT_RETURN_IF_ERROR(Choose(*prepared, ctx));
    }
    return std::unique_ptr<StepState>(std::move(prepared));
  }

  size_t ScratchBytes(const EvalContext& ctx) const override {
    const ConvState& state = ctx.state<ConvState>();
    return static_cast<size_t>(ConvBlockedBf16ScratchBytes(
        kernel_, state.shape, state.forms.x, ctx.pool()->threads()));
  }

  KernelChoice Explain(const EvalContext& ctx) const override {
    const ConvState& state = ctx.state<ConvState>();
    return ExplainBf16(kernel_, state.shape, state.forms, isa_);
  }

  Status Run(EvalContext& ctx) override {
    const ConvState& state = ctx.state<ConvState>();
    ConvBf16Args args;
    args.shape = state.shape;
    args.forms = state.forms;
    args.x = ctx.in(0).raw();
    args.bias = bias_.empty() ? nullptr : bias_.data();
    args.residual = ctx.has(3) ? ctx.in(3).raw() : nullptr;
    args.act = act_;
    args.y = ctx.out(0).raw();
    args.scratch = ctx.scratch();
    ConvBlockedBf16(kernel_, args, packed_.parts[0].data<uint16_t>(),
                    ctx.pool());
    return OkStatus();
  }

 private:
  struct ConvState : StepState {
    ConvF32Shape shape;
    ConvForms forms;
  };

  Result<ConvF32Shape> ShapeOf(const Tensor& x) const {
    Shape dims = x.shape();
    if (x.rank() == 5) {
      dims = PlainDims(dims);
      dims[1] = weights_.dim(1) * op_.group;
    }
    return ConvShapeOf(op_, dims, weights_.shape());
  }

  Status Choose(const ConvState& state, const EvalContext& ctx) {
    const ConvF32Shape& shape = state.shape;
    const ConvForm x = state.forms.x;
    const ConvBlockedBf16Kernel kernel = ChooseBf16(shape, state.forms, isa_);
    if (kernel == ConvBlockedBf16Kernel{}) {
      return InternalError("no kernel for a blocked convolution");
    }
    const std::string layout = LayoutOf(kernel, shape, x);
    const int64_t size =
        CeilDiv(ConvBlockedBf16PackedBytes(kernel, shape, x), 2);
    const bool packed =
        packed_.layout == layout && HasPart(packed_, 0, DType::kUInt16, size);
    if (!packed) {
      if (!weights_.has_elements()) {
        return Unsupported("its weights are packed as '" + packed_.layout +
                           "', which no kernel here reads");
      }
      STINT_ASSIGN_OR_RETURN(Tensor data,
                             Tensor::Allocate(DType::kUInt16, {size}));
      ConvBlockedBf16Pack(kernel, shape, x, weights_.data<float>(),
                          data.data<uint16_t>(), ctx.pool());
      packed_ = {layout, {std::move(data)}};
      weights_.DropElements();
    }
    kernel_ = kernel;
    return OkStatus();
  }

  const BlockedConv op_;
  const Activation act_;
  Tensor weights_;                 // without elements once they are packed
  const std::vector<float> bias_;  // zeros up to a narrow block; empty: none
  const Isa isa_;
  ConvBlockedBf16Kernel kernel_;  // that packed_ is for
  PackedWeights packed_;
};

}  // namespace

NodeKernelPtr MakeBlockedConvBf16(const BlockedConv& op, const Tensor& weights,
                                  std::vector<float> bias,
                                  const KernelSite& site) {
  bias.resize(static_cast<size_t>(RoundUp(std::ssize(bias), kNarrowBlock)));
  return std::make_unique<BlockedConvBf16>(op, weights, std::move(bias), site);
}

}  // namespace stint
