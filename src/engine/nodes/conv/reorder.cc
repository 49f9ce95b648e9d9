#include "kernels/conv_blocked_f32/reorder.h"

#include "engine/nodes/nodes.h"

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

}  // namespace stint
