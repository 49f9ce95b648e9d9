#include "engine/bind/conv_shape.h"
#include "engine/bind/restore_weights.h"
#include "engine/choose/bound_conv.h"
#include "engine/choose/conv_choice.h"
#include "engine/nodes/conv/blocked_conv_bf16.h"
#include "engine/nodes/conv/conv_codes.h"
#include "engine/nodes/conv/sparse_conv.h"
#include "engine/nodes/nodes.h"
#include "engine/reference/fused_activation.h"
#include "kernels/conv_blocked_f32/gate.h"
#include "kernels/conv_blocked_f32/layout.h"

namespace stint {
namespace {

// The first image decides which kernel the weights are packed for; every kernel
// takes images of all sizes.
class BlockedConvKernel : public NodeKernel {
 public:
  // `sparse` says why weights that are 0 are not skipped.
  BlockedConvKernel(const BlockedConv& op, Tensor weights,
                    std::vector<float> bias, const KernelSite& site,
                    const SparseChoice& sparse)
      : op_(op),
        act_(ActivationOf(op)),
        weights_(std::move(weights)),
        bias_(std::move(bias)),
        site_(site),
        sparse_(sparse),
        gated_(sparse.rule == SparseRule::kGated) {
    if (site.packed != nullptr) packed_ = *site.packed;
    site_.packed = nullptr;
    // The one whose packed weights are single ones in a known order.
    if (gated_) site_.primitive = "pointwise";
  }

  const PackedWeights* packed() const override {
    return packed_.parts.empty() ? nullptr : &packed_;
  }

  Result<std::unique_ptr<StepState>> Prepare(const EvalContext& ctx) override {
    auto prepared = std::make_unique<ConvState>();
    STINT_ASSIGN_OR_RETURN(prepared->shape, ShapeFor(ctx.in(0)));
    const ConvF32Shape& shape = prepared->shape;
    if (kernel_ == nullptr) {
      STINT_RETURN_IF_ERROR(Choose(ctx.in(0), shape, ctx.pool()));
      prepared->choice = choice_;
    } else {
      prepared->choice = ChooseAgain(ctx.in(0), shape);
    }
    auto bound = BindConv(prepared->choice, shape, act_, site_.isa);
    if (!bound.ok()) {
      prepared->choice = {kernel_, ConvReason::kDefault};
      bound = BindConv(prepared->choice, shape, act_, site_.isa);
    }
    STINT_ASSIGN_OR_RETURN(prepared->conv, std::move(bound));
    return std::unique_ptr<StepState>(std::move(prepared));
  }

  size_t ScratchBytes(const EvalContext& ctx) const override {
    const ConvState& state = ctx.state<ConvState>();
    const int64_t gated =
        ctx.has(4) ? kernel_->packed_bytes(*kernel_, state.shape) : 0;
    return static_cast<size_t>(
        RoundUp(gated, 64) +
        state.conv.ScratchBytes(state.shape, ctx.pool()->threads()));
  }

  Status Run(EvalContext& ctx) override {
    ConvBlockedF32Args args;
    const ConvState& state = ctx.state<ConvState>();
    args.shape = state.shape;
    args.x = ctx.in(0).data<float>();
    args.w = packed_.parts[0].data<float>();
    args.bias = bias_.empty() ? nullptr : bias_.data();
    args.residual = ctx.has(3) ? ctx.in(3).data<float>() : nullptr;
    args.act = act_;
    args.y = ctx.out(0).data<float>();
    args.scratch = static_cast<float*>(ctx.scratch());
    if (ctx.has(4)) {
      RunGated(state.conv, ctx.in(4), &args, ctx.pool());
    } else {
      state.conv.Run(args, ctx.pool());
    }
    return OkStatus();
  }

  KernelChoice Explain(const EvalContext& ctx) const override {
    const ConvState& state = ctx.state<ConvState>();
    KernelChoice explained = ExplainConv(state.choice, state.shape, site_);
    explained.candidates.push_back(SparseCandidate(sparse_, site_.isa));
    return explained;
  }

 private:
  struct ConvState : StepState {
    ConvF32Shape shape;
    ConvChoice choice;
    BoundConv conv;
  };

  // For other images than the first: what was tuned for them, if it reads the
  // weights as they are packed.
  ConvChoice ChooseAgain(const Tensor& x, const ConvF32Shape& shape) const {
    const ConvChoice choice = ChooseConv(shape, LayoutOf(x), site_);
    const bool tuned = choice.reason == ConvReason::kTuned ||
                       choice.reason == ConvReason::kUntuned;
    if (tuned && ReadsPacked(choice.kernel, shape)) return choice;
    ConvChoice packed{kernel_, choice_.reason == ConvReason::kTuned
                                   ? ConvReason::kDefault
                                   : choice_.reason};
    packed.packed = choice.kernel != kernel_;
    return packed;
  }

  static ImageLayout LayoutOf(const Tensor& x) {
    return x.rank() == 5 ? ImageLayout::kBlocked : ImageLayout::kPlain;
  }

  // Image by image, with weights that are multiplied by the gate of each.
  void RunGated(const BoundConv& conv, const Tensor& gate,
                ConvBlockedF32Args* args, ThreadPool* pool) const {
    const ConvF32Shape s = args->shape;
    const int64_t block = kernel_->block;
    float* w = args->scratch;
    args->scratch += RoundUp(kernel_->packed_bytes(*kernel_, s), 64) / 4;
    args->shape.batch = 1;
    args->w = w;
    for (int64_t n = 0; n < s.batch; ++n) {
      GateConvWeights({packed_.parts[0].data<float>(),
                       gate.data<float>() + n * gate.size() / s.batch,
                       s.in_channels, s.out_channels, block},
                      w, pool);
      conv.Run(*args, pool);
      args->x += BlockedFloats(s.in_channels, s.in_h * s.in_w, block);
      const int64_t floats =
          BlockedFloats(s.out_channels, s.out_h * s.out_w, block);
      args->y += floats;
      if (args->residual != nullptr) args->residual += floats;
    }
  }

  Result<ConvF32Shape> ShapeFor(const Tensor& x) const {
    Shape dims = x.shape();
    if (x.rank() == 5) {
      dims = PlainDims(dims);
      dims[1] = weights_.dim(1) * op_.group;
    }
    return ConvShapeOf(op_, dims, weights_.shape());
  }

  // Takes the best kernel, packing the weights for it if they are not, unless
  // they are packed for one that will do.
  Status Choose(const Tensor& x, const ConvF32Shape& shape, ThreadPool* pool) {
    const ImageLayout input = LayoutOf(x);
    const ConvChoice choice = ChooseConv(shape, input, site_);
    if (choice.kernel == nullptr || choice.kernel->block != op_.block) {
      return InternalError("no kernel for a blocked convolution");
    }
    if (gated_ && choice.reason != ConvReason::kForced) {
      return InternalError("no kernel for weights with a gate");
    }
    if (!packed_.parts.empty()) {
      if (ReadsPacked(choice.kernel, shape)) return Use(choice, shape);
      const auto* other =
          FindConvBlockedF32(packed_.layout, shape, input, site_.isa);
      const bool will_do = other != nullptr && ReadsPacked(other, shape);
      ConvChoice packed{other};
      packed.packed = true;
      if (will_do && choice.reason == ConvReason::kDefault &&
          choice.too_large != other) {
        return Use(packed, shape);
      }
      const Status unpacked = Unpack();
      if (!unpacked.ok()) return will_do ? Use(packed, shape) : unpacked;
    }
    STINT_RETURN_IF_ERROR(Pack(*choice.kernel, shape, pool));
    return Use(choice, shape);
  }

  Status Use(const ConvChoice& choice, const ConvF32Shape& shape) {
    kernel_ = choice.kernel;
    choice_ = choice;
    if (site_.allowance != nullptr) {
      site_.allowance->bytes -= WeightGrowth(*kernel_, shape, site_);
    }
    return OkStatus();
  }

  bool ReadsPacked(const ConvBlockedF32Kernel* kernel,
                   const ConvF32Shape& shape) const {
    return ConvBlockedF32Layout(*kernel) == packed_.layout &&
           HasPart(packed_, 0, DType::kFloat32,
                   CeilDiv(kernel->packed_bytes(*kernel, shape), 4));
  }

  Status Pack(const ConvBlockedF32Kernel& kernel, const ConvF32Shape& shape,
              ThreadPool* pool) {
    const int64_t bytes = kernel.packed_bytes(kernel, shape);
    STINT_ASSIGN_OR_RETURN(
        Tensor data, Tensor::Allocate(DType::kFloat32, {CeilDiv(bytes, 4)}));
    kernel.pack(kernel, shape, weights_.data<float>(), data.data<float>(),
                pool);
    packed_ = {ConvBlockedF32Layout(kernel), {std::move(data)}};
    weights_.DropElements();
    return OkStatus();
  }

  // Weights that were packed for another kernel or by another machine.
  Status Unpack() {
    if (weights_.has_elements()) return OkStatus();
    STINT_ASSIGN_OR_RETURN(auto plain,
                           UnpackKernels(packed_, weights_.shape(), op_.group));
    if (!plain) {
      return Unsupported("its weights are packed as '" + packed_.layout +
                         "', which no kernel here reads");
    }
    weights_ = std::move(*plain);
    return OkStatus();
  }

  const BlockedConv op_;
  const Activation act_;
  Tensor weights_;                 // without elements once they are packed
  const std::vector<float> bias_;  // zeros up to a block; empty: none
  KernelSite site_;
  const SparseChoice sparse_;
  const bool gated_;
  const ConvBlockedF32Kernel* kernel_ = nullptr;  // that packed_ is for
  ConvChoice choice_;
  PackedWeights packed_;
};

bool CanGate(const BlockedConv& op, const Tensor& w) {
  return op.group == 1 && w.rank() == 4 && w.dim(2) == 1 && w.dim(3) == 1;
}

}  // namespace

NodeKernelPtr Bind(const BlockedConv& op, const InferContext& ctx,
                   const KernelSite& site) {
  const Tensor* w = ctx.constant(1);
  const bool bf16 = site.precision == Precision::kBFloat16;
  const bool narrow = bf16 && site.isa >= Isa::kBf16;
  if (!(AllFloat32(ctx) || narrow) || w == nullptr ||
      op.block != ConvBlockedF32Block(site.isa)) {
    return nullptr;
  }
  std::vector<float> bias;
  if (ctx.has(2)) {
    const Tensor* b = ctx.constant(2);
    if (b == nullptr) return nullptr;
    bias.assign(b->data<float>(), b->data<float>() + b->size());
    bias.resize(static_cast<size_t>(RoundUp(b->size(), op.block)), 0.0f);
  }
  if (ctx.has(4) && !CanGate(op, *w)) return nullptr;
  if (site.coded.weights != nullptr) {
    return MakeConvCodes(op, op.block, w->shape(), std::move(bias), site);
  }
  if (bf16) {
    if (ctx.has(4)) return nullptr;
    return MakeBlockedConvBf16(op, *w, std::move(bias), site);
  }
  SparseChoice sparse;
  sparse.rule = SparseRule::kGated;
  if (!ctx.has(4)) {
    SparseConvNode made = MakeSparseConv(op, ctx, bias, site);
    if (made.kernel != nullptr) return std::move(made.kernel);
    sparse = made.choice;
  }
  return std::make_unique<BlockedConvKernel>(op, *w, std::move(bias), site,
                                             sparse);
}

}  // namespace stint
