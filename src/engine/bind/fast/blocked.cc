#include <algorithm>

#include "engine/bind/conv_shape.h"
#include "engine/bind/fast/blocked_conv_bf16.h"
#include "engine/bind/fast/fast.h"
#include "engine/bind/fused_activation.h"
#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"
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

// The weights are packed for the kernel that fits the shape; another shape may
// need another kernel, which is then kept beside it.
class BlockedConvKernel : public NodeKernel {
 public:
  BlockedConvKernel(const BlockedConv& op, Tensor weights,
                    std::vector<float> bias, Isa isa)
      : op_(op),
        act_(ActivationOf(op)),
        weights_(std::move(weights)),
        bias_(std::move(bias)),
        isa_(isa) {}

  Result<std::unique_ptr<StepState>> Prepare(const EvalContext& ctx) override {
    STINT_ASSIGN_OR_RETURN(const Choice choice, Choose(ctx));
    return std::unique_ptr<StepState>(std::make_unique<Choice>(choice));
  }

  size_t ScratchBytes(const EvalContext& ctx) const override {
    const auto& choice = ctx.state<Choice>();
    const ConvBlockedF32Kernel& kernel = *choice.packed->kernel;
    return static_cast<size_t>(
        kernel.scratch_bytes(kernel, choice.shape, ctx.pool()->threads()));
  }

  Status Run(EvalContext& ctx) override {
    const auto& choice = ctx.state<Choice>();
    ConvBlockedF32Args args;
    args.shape = choice.shape;
    args.x = ctx.in(0).data<float>();
    args.w = choice.packed->data.data<float>();
    args.bias = bias_.empty() ? nullptr : bias_.data();
    args.residual = ctx.has(3) ? ctx.in(3).data<float>() : nullptr;
    args.act = act_;
    args.y = ctx.out(0).data<float>();
    args.scratch = static_cast<float*>(ctx.scratch());
    const ConvBlockedF32Kernel& kernel = *choice.packed->kernel;
    kernel.run(kernel, args, ctx.pool());
    return OkStatus();
  }

 private:
  struct Packed {
    const ConvBlockedF32Kernel* kernel;
    Tensor data;
  };
  struct Choice : StepState {
    Choice(const ConvF32Shape& s, const Packed* p) : shape(s), packed(p) {}
    ConvF32Shape shape;
    const Packed* packed;
  };

  Result<Choice> Choose(const EvalContext& ctx) {
    const Tensor& x = ctx.in(0);
    Shape dims = x.shape();
    if (x.rank() == 5) {
      dims = PlainDims(dims);
      dims[1] = weights_.dim(1) * op_.group;
    }
    STINT_ASSIGN_OR_RETURN(const ConvF32Shape shape,
                           ConvShapeOf(op_, dims, weights_.shape()));
    const ConvBlockedF32Kernel* kernel = PickConvBlockedF32(
        shape, x.rank() == 5 ? ImageLayout::kBlocked : ImageLayout::kPlain,
        isa_);
    if (kernel == nullptr || kernel->block != op_.block) {
      return InternalError("no kernel for a blocked convolution");
    }
    for (const auto& packed : packed_) {
      if (packed->kernel == kernel) return Choice{shape, packed.get()};
    }
    const int64_t bytes = kernel->packed_bytes(*kernel, shape);
    auto packed = std::make_unique<Packed>();
    packed->kernel = kernel;
    STINT_ASSIGN_OR_RETURN(
        packed->data, Tensor::Allocate(DType::kFloat32, {CeilDiv(bytes, 4)}));
    kernel->pack(*kernel, shape, weights_.data<float>(),
                 packed->data.data<float>(), ctx.pool());
    packed_.push_back(std::move(packed));
    return Choice{shape, packed_.back().get()};
  }

  const BlockedConv op_;
  const Activation act_;
  const Tensor weights_;
  const std::vector<float> bias_;  // zeros up to a block; empty: none
  const Isa isa_;
  std::vector<std::unique_ptr<Packed>> packed_;
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
  return std::make_unique<BlockedConvKernel>(op, *w, std::move(bias), site.isa);
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
