#include <algorithm>

#include "engine/bind/conv_choice.h"
#include "engine/bind/conv_shape.h"
#include "engine/bind/fast/blocked_conv_bf16.h"
#include "engine/bind/fast/fast.h"
#include "engine/bind/fused_activation.h"
#include "engine/bind/restore_weights.h"
#include "kernels/conv_blocked_f32/layout.h"
#include "kernels/conv_blocked_f32/reorder.h"
#include "kernels/pool_blocked_f32/pool_blocked_f32.h"

namespace stint {
namespace {

class ReorderKernel : public NodeKernel {
 public:
  using Fn = void (*)(const ReorderF32Args& args, ThreadPool* pool);
  explicit ReorderKernel(Fn run) : run_(run) {}

  Status Run(EvalContext& ctx) override {
    const Tensor& x = ctx.in(0);
    Tensor& y = ctx.out(0);
    const bool to_blocks = y.rank() == 5;
    const Tensor& plain = to_blocks ? x : y;
    const Tensor& blocked = to_blocks ? y : x;
    run_({.batch = plain.dim(0),
          .channels = plain.dim(1),
          .plane = plain.dim(2) * plain.dim(3),
          .block = blocked.dim(4),
          .x = x.data<float>(),
          .y = y.data<float>()},
         ctx.pool());
    return OkStatus();
  }

 private:
  Fn run_;
};

// The first image decides which kernel the weights are packed for; every kernel
// takes images of all sizes.
class BlockedConvKernel : public NodeKernel {
 public:
  BlockedConvKernel(const BlockedConv& op, Tensor weights,
                    std::vector<float> bias, const KernelSite& site)
      : op_(op),
        act_(ActivationOf(op)),
        weights_(std::move(weights)),
        bias_(std::move(bias)),
        site_(site) {
    if (site.packed != nullptr) packed_ = *site.packed;
    site_.packed = nullptr;
  }

  const PackedWeights* packed() const override {
    return packed_.parts.empty() ? nullptr : &packed_;
  }

  Result<std::unique_ptr<StepState>> Prepare(const EvalContext& ctx) override {
    auto prepared = std::make_unique<ConvState>();
    STINT_ASSIGN_OR_RETURN(prepared->shape, ShapeFor(ctx.in(0)));
    if (kernel_ == nullptr) {
      STINT_RETURN_IF_ERROR(Choose(ctx.in(0), prepared->shape, ctx.pool()));
    }
    return std::unique_ptr<StepState>(std::move(prepared));
  }

  size_t ScratchBytes(const EvalContext& ctx) const override {
    return static_cast<size_t>(kernel_->scratch_bytes(
        *kernel_, ctx.state<ConvState>().shape, ctx.pool()->threads()));
  }

  Status Run(EvalContext& ctx) override {
    ConvBlockedF32Args args;
    args.shape = ctx.state<ConvState>().shape;
    args.x = ctx.in(0).data<float>();
    args.w = packed_.parts[0].data<float>();
    args.bias = bias_.empty() ? nullptr : bias_.data();
    args.residual = ctx.has(3) ? ctx.in(3).data<float>() : nullptr;
    args.act = act_;
    args.y = ctx.out(0).data<float>();
    args.scratch = static_cast<float*>(ctx.scratch());
    kernel_->run(*kernel_, args, ctx.pool());
    return OkStatus();
  }

  KernelChoice Explain(const EvalContext& ctx) const override {
    return ExplainConv({kernel_, reason_}, ctx.state<ConvState>().shape, site_);
  }

 private:
  struct ConvState : StepState {
    ConvF32Shape shape;
  };

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
    const ImageLayout input =
        x.rank() == 5 ? ImageLayout::kBlocked : ImageLayout::kPlain;
    const ConvChoice choice = ChooseConv(shape, input, site_);
    if (choice.kernel == nullptr || choice.kernel->block != op_.block) {
      return InternalError("no kernel for a blocked convolution");
    }
    if (!packed_.parts.empty()) {
      if (ReadsPacked(choice.kernel, shape)) return Use(choice);
      const auto* other =
          FindConvBlockedF32(packed_.layout, shape, input, site_.isa);
      const bool will_do = other != nullptr && ReadsPacked(other, shape);
      if (will_do && choice.reason == ConvReason::kDefault) {
        return Use({other, choice.reason});
      }
      const Status unpacked = Unpack();
      if (!unpacked.ok()) {
        return will_do ? Use({other, ConvReason::kDefault}) : unpacked;
      }
    }
    STINT_RETURN_IF_ERROR(Pack(*choice.kernel, shape, pool));
    return Use(choice);
  }

  Status Use(const ConvChoice& choice) {
    kernel_ = choice.kernel;
    reason_ = choice.reason;
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
  const ConvBlockedF32Kernel* kernel_ = nullptr;  // that packed_ is for
  ConvReason reason_ = ConvReason::kDefault;
  PackedWeights packed_;
};

struct PoolState : StepState {
  PoolF32Args args;
};

template <typename Pool>
class BlockedPoolKernel : public NodeKernel {
 public:
  BlockedPoolKernel(const Pool& op, const PoolBlockedF32Kernel& kernel)
      : op_(op), kernel_(kernel) {}

  Result<std::unique_ptr<StepState>> Prepare(const EvalContext& ctx) override {
    const Tensor& x = ctx.in(0);
    const Shape plain = PlainDims(x.shape());
    STINT_ASSIGN_OR_RETURN(const Window w, PoolWindow(op_, plain));
    STINT_ASSIGN_OR_RETURN(
        const Shape out,
        WindowOutput(w, {plain[2], plain[3]}, op_.ceil_mode != 0));
    auto prepared = std::make_unique<PoolState>();
    PoolF32Args& args = prepared->args;
    if constexpr (std::is_base_of_v<AveragePool, Pool>) {
      args.kind = PoolKind::kAverage;
      args.count_include_pad = op_.count_include_pad != 0;
    }
    args.planes = x.dim(0) * x.dim(1);
    const auto axis = [&](size_t d) {
      return WindowAxis{plain[d + 2], out[d],         w.kernel[d],
                        w.strides[d], w.dilations[d], w.pads[d]};
    };
    args.h = axis(0);
    args.w = axis(1);
    args.pad_bottom = w.pads[2];
    args.pad_right = w.pads[3];
    return std::unique_ptr<StepState>(std::move(prepared));
  }

  Status Run(EvalContext& ctx) override {
    PoolF32Args args = ctx.state<PoolState>().args;
    args.x = ctx.in(0).data<float>();
    args.y = ctx.out(0).template data<float>();
    PoolBlockedF32(kernel_, args, ctx.pool());
    return OkStatus();
  }

 private:
  const Pool op_;
  const PoolBlockedF32Kernel& kernel_;
};

class BlockedGlobalKernel : public NodeKernel {
 public:
  explicit BlockedGlobalKernel(const PoolBlockedF32Kernel& kernel)
      : kernel_(kernel) {}

  Status Run(EvalContext& ctx) override {
    const Tensor& x = ctx.in(0);
    GlobalAverageBlockedF32(kernel_,
                            {x.data<float>(), ctx.out(0).data<float>(),
                             x.dim(0) * x.dim(1), x.dim(2) * x.dim(3)},
                            ctx.pool());
    return OkStatus();
  }

 private:
  const PoolBlockedF32Kernel& kernel_;
};

// Blocks are made for one machine; a graph that was lowered for another runs
// on the reference.
bool FitsBlock(const InferContext& ctx, Isa isa) {
  return AllFloat32(ctx) && ctx.Ranked({0}) && ctx.in(0).rank() == 5 &&
         ctx.in(0).dims[4] == PickPoolBlockedF32(isa).block;
}

}  // namespace

NodeKernelPtr Bind(const ToBlocked&, const InferContext& ctx,
                   const KernelSite&) {
  if (!AllFloat32(ctx)) return nullptr;
  return std::make_unique<ReorderKernel>(PlainToBlockedF32);
}

NodeKernelPtr Bind(const FromBlocked&, const InferContext& ctx,
                   const KernelSite&) {
  if (!AllFloat32(ctx)) return nullptr;
  return std::make_unique<ReorderKernel>(BlockedToPlainF32);
}

NodeKernelPtr Bind(const BlockedConv& op, const InferContext& ctx,
                   const KernelSite& site) {
  const Tensor* w = ctx.constant(1);
  if (!AllFloat32(ctx) || w == nullptr ||
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
  if (site.precision == Precision::kBFloat16) {
    return MakeBlockedConvBf16(op, *w, std::move(bias), site);
  }
  return std::make_unique<BlockedConvKernel>(op, *w, std::move(bias), site);
}

NodeKernelPtr Bind(const BlockedMaxPool& op, const InferContext& ctx,
                   const KernelSite& site) {
  if (!FitsBlock(ctx, site.isa)) return nullptr;
  return std::make_unique<BlockedPoolKernel<BlockedMaxPool>>(
      op, PickPoolBlockedF32(site.isa));
}

NodeKernelPtr Bind(const BlockedAveragePool& op, const InferContext& ctx,
                   const KernelSite& site) {
  if (!FitsBlock(ctx, site.isa)) return nullptr;
  return std::make_unique<BlockedPoolKernel<BlockedAveragePool>>(
      op, PickPoolBlockedF32(site.isa));
}

NodeKernelPtr Bind(const BlockedGlobalAverage&, const InferContext& ctx,
                   const KernelSite& site) {
  if (!FitsBlock(ctx, site.isa)) return nullptr;
  return std::make_unique<BlockedGlobalKernel>(PickPoolBlockedF32(site.isa));
}

}  // namespace stint
