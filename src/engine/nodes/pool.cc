#include "engine/nodes/nodes.h"
#include "engine/reference/nn/nn.h"
#include "kernels/pool_f32/pool_f32.h"

namespace stint {
namespace {

// 1-D and 2-D pooling.
template <typename Pool>
class PoolKernel : public NodeKernel {
 public:
  PoolKernel(const Pool& op, const PoolF32Kernel& kernel)
      : op_(op), kernel_(kernel) {}

  Result<std::unique_ptr<StepState>> Prepare(const EvalContext& ctx) override {
    auto state = std::make_unique<State>();
    STINT_ASSIGN_OR_RETURN(state->args, ArgsOf(ctx));
    return std::unique_ptr<StepState>(std::move(state));
  }

  size_t ScratchBytes(const EvalContext& ctx) const override {
    return static_cast<size_t>(
        PoolF32ScratchBytes(ctx.state<State>().args, ctx.pool()->threads()));
  }

  Status Run(EvalContext& ctx) override {
    PoolF32Args args = ctx.state<State>().args;
    args.x = ctx.in(0).data<float>();
    args.y = ctx.out(0).template data<float>();
    args.scratch = static_cast<float*>(ctx.scratch());
    PoolF32(kernel_, args, ctx.pool());
    return OkStatus();
  }

 private:
  struct State : StepState {
    PoolF32Args args;
  };

  // All but the memory.
  Result<PoolF32Args> ArgsOf(const EvalContext& ctx) const {
    const Tensor& x = ctx.in(0);
    STINT_ASSIGN_OR_RETURN(const Window w, PoolWindow(op_, x.shape()));
    STINT_ASSIGN_OR_RETURN(
        const Shape out,
        WindowOutput(w, Shape(x.shape().begin() + 2, x.shape().end()),
                     op_.ceil_mode != 0));
    const size_t rank = out.size();
    PoolF32Args args;
    if constexpr (std::is_same_v<Pool, AveragePool>) {
      args.kind = PoolKind::kAverage;
      args.count_include_pad = op_.count_include_pad != 0;
    }
    args.planes = x.dim(0) * x.dim(1);
    const auto axis = [&](size_t d) {
      return WindowAxis{x.dim(static_cast<int64_t>(d) + 2),
                        out[d],
                        w.kernel[d],
                        w.strides[d],
                        w.dilations[d],
                        w.pads[d]};
    };
    args.h = rank == 1 ? WindowAxis{1, 1, 1, 1, 1, 0} : axis(0);
    args.w = axis(rank - 1);
    args.pad_bottom = rank == 1 ? 0 : w.pads[rank];
    args.pad_right = w.pads[2 * rank - 1];
    return args;
  }

  const Pool op_;
  const PoolF32Kernel& kernel_;
};

class GlobalAverageKernel : public NodeKernel {
 public:
  explicit GlobalAverageKernel(const PoolF32Kernel& kernel) : kernel_(kernel) {}
  Status Run(EvalContext& ctx) override {
    const Tensor& x = ctx.in(0);
    const int64_t planes = x.dim(0) * x.dim(1);
    if (planes == 0) return OkStatus();
    GlobalAverageF32(
        kernel_,
        {x.data<float>(), ctx.out(0).data<float>(), planes, x.size() / planes},
        ctx.pool());
    return OkStatus();
  }

 private:
  const PoolF32Kernel& kernel_;
};

bool IsPlanar(const InferContext& ctx) {
  return AllFloat32(ctx) && ctx.Ranked({0}) && ctx.in(0).rank() >= 3 &&
         ctx.in(0).rank() <= 4;
}

}  // namespace

NodeKernelPtr Bind(const MaxPool& op, const InferContext& ctx,
                   const KernelSite& site) {
  if (!IsPlanar(ctx) || ctx.num_outputs() > 1) return nullptr;
  return std::make_unique<PoolKernel<MaxPool>>(op, PickPoolF32(site.isa));
}

NodeKernelPtr Bind(const AveragePool& op, const InferContext& ctx,
                   const KernelSite& site) {
  if (!IsPlanar(ctx)) return nullptr;
  return std::make_unique<PoolKernel<AveragePool>>(op, PickPoolF32(site.isa));
}

NodeKernelPtr Bind(const GlobalAveragePool&, const InferContext& ctx,
                   const KernelSite& site) {
  if (!AllFloat32(ctx)) return nullptr;
  return std::make_unique<GlobalAverageKernel>(PickPoolF32(site.isa));
}

}  // namespace stint
