#include "engine/nodes/nodes.h"
#include "kernels/pool_blocked_f32/pool_blocked_f32.h"

namespace stint {
namespace {

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
    if (ctx.in(0).dtype() == DType::kBFloat16) {
      MaxPoolNarrow(kernel_, args,
                    static_cast<const uint16_t*>(ctx.in(0).raw()),
                    static_cast<uint16_t*>(ctx.out(0).raw()), ctx.pool());
      return OkStatus();
    }
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

NodeKernelPtr Bind(const BlockedMaxPool& op, const InferContext& ctx,
                   const KernelSite& site) {
  const bool narrow = ctx.Ranked({0}) && ctx.in(0).rank() == 5 &&
                      ctx.in(0).dtype == DType::kBFloat16 &&
                      ctx.in(0).dims[4] == kPoolNarrowBlock;
  if (!narrow && !FitsBlock(ctx, site.isa)) return nullptr;
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
