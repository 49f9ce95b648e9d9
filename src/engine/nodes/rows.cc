// Ops that work row by row: softmax and normalizations.

#include <algorithm>
#include <cmath>

#include "engine/nodes/nodes.h"
#include "engine/reference/axis_lines.h"
#include "engine/reference/nn/nn.h"
#include "kernels/norm_f32/norm_f32.h"
#include "kernels/softmax_f32/softmax_f32.h"

namespace stint {
namespace {

class SoftmaxKernel : public NodeKernel {
 public:
  SoftmaxKernel(int64_t axis, bool log, const SoftmaxF32Kernel& kernel)
      : axis_(axis), log_(log), kernel_(kernel) {}

  Status Run(EvalContext& ctx) override {
    const Tensor& x = ctx.in(0);
    int64_t axis = 0;
    if (x.rank() > 0) {
      STINT_ASSIGN_OR_RETURN(axis, NormalizeAxis(axis_, x.rank()));
    }
    const AxisLines lines(x.shape(), axis);
    SoftmaxF32(kernel_,
               {x.data<float>(), ctx.out(0).data<float>(), lines.outer,
                lines.length, lines.inner, log_},
               ctx.pool());
    return OkStatus();
  }

 private:
  const int64_t axis_;
  const bool log_;
  const SoftmaxF32Kernel& kernel_;
};

Shape WithoutLeadingOnes(Shape shape) {
  const auto first = std::find_if(shape.begin(), shape.end(),
                                  [](int64_t dim) { return dim != 1; });
  shape.erase(shape.begin(), first);
  return shape;
}

// Layer and RMS normalization over trailing dimensions whose scale and bias
// have exactly those dimensions.
template <typename NormOp>
class RowNormKernel : public NodeKernel {
 public:
  RowNormKernel(const NormOp& op, RowNormF32Fn run) : op_(op), run_(run) {}

  Result<std::unique_ptr<StepState>> Prepare(const EvalContext& ctx) override {
    const Tensor& x = ctx.in(0);
    STINT_ASSIGN_OR_RETURN(const int64_t axis,
                           NormalizeAxis(op_.axis, x.rank()));
    auto state = std::make_unique<State>();
    for (int64_t d = axis; d < x.rank(); ++d) state->n *= x.dim(d);
    const Shape row =
        WithoutLeadingOnes(Shape(x.shape().begin() + axis, x.shape().end()));
    state->plain =
        WithoutLeadingOnes(ctx.in(1).shape()) == row &&
        (!ctx.has(2) || WithoutLeadingOnes(ctx.in(2).shape()) == row);
    return std::unique_ptr<StepState>(std::move(state));
  }

  Status Run(EvalContext& ctx) override {
    const Tensor& x = ctx.in(0);
    RowNormF32Args args;
    args.n = ctx.state<State>().n;
    if (!ctx.state<State>().plain || args.n == 0) return Eval(op_, ctx);
    args.x = x.data<float>();
    args.y = ctx.out(0).data<float>();
    args.rows = x.size() / args.n;
    args.scale = ctx.in(1).data<float>();
    args.bias = ctx.has(2) ? ctx.in(2).data<float>() : nullptr;
    args.epsilon = op_.epsilon;
    if (ctx.wants(1)) args.mean = ctx.out(1).data<float>();
    if (ctx.wants(2)) args.inv_std = ctx.out(2).data<float>();
    RowNormF32(run_, args, ctx.pool());
    return OkStatus();
  }

 private:
  struct State : StepState {
    int64_t n = 1;       // elements that are normalized together
    bool plain = false;  // scale and bias have exactly their dimensions
  };

  const NormOp op_;
  const RowNormF32Fn run_;
};

// Batch normalization with constant statistics: one multiply-add per element.
class ChannelNormKernel : public NodeKernel {
 public:
  ChannelNormKernel(std::vector<float> scale, std::vector<float> shift,
                    const NormF32Kernel& kernel)
      : scale_(std::move(scale)), shift_(std::move(shift)), kernel_(kernel) {}

  Status Run(EvalContext& ctx) override {
    const Tensor& x = ctx.in(0);
    ChannelNormF32Args args;
    args.x = x.data<float>();
    args.y = ctx.out(0).data<float>();
    args.outer = x.dim(0);
    args.channels = x.dim(1);
    args.inner = 1;
    for (int64_t d = 2; d < x.rank(); ++d) args.inner *= x.dim(d);
    args.scale = scale_.data();
    args.shift = shift_.data();
    ChannelNormF32(kernel_, args, ctx.pool());
    return OkStatus();
  }

 private:
  std::vector<float> scale_;
  std::vector<float> shift_;
  const NormF32Kernel& kernel_;
};

}  // namespace

NodeKernelPtr Bind(const Softmax& op, const InferContext& ctx,
                   const KernelSite& site) {
  if (!AllFloat32(ctx)) return nullptr;
  return std::make_unique<SoftmaxKernel>(op.axis, false,
                                         PickSoftmaxF32(site.isa));
}

NodeKernelPtr Bind(const LogSoftmax& op, const InferContext& ctx,
                   const KernelSite& site) {
  if (!AllFloat32(ctx)) return nullptr;
  return std::make_unique<SoftmaxKernel>(op.axis, true,
                                         PickSoftmaxF32(site.isa));
}

NodeKernelPtr Bind(const LayerNormalization& op, const InferContext& ctx,
                   const KernelSite& site) {
  if (!AllFloat32(ctx)) return nullptr;
  return std::make_unique<RowNormKernel<LayerNormalization>>(
      op, PickNormF32(site.isa).layer);
}

NodeKernelPtr Bind(const RMSNormalization& op, const InferContext& ctx,
                   const KernelSite& site) {
  if (!AllFloat32(ctx)) return nullptr;
  return std::make_unique<RowNormKernel<RMSNormalization>>(
      op, PickNormF32(site.isa).rms);
}

NodeKernelPtr Bind(const BatchNormalization& op, const InferContext& ctx,
                   const KernelSite& site) {
  if (!AllFloat32(ctx) || op.training_mode || !ctx.Ranked({0}) ||
      ctx.in(0).rank() < 2) {
    return nullptr;
  }
  std::vector<float> scale;
  std::vector<float> shift;
  for (int i = 1; i < 5; ++i) {
    if (ctx.constant(i) == nullptr) return nullptr;
  }
  const float* gamma = ctx.constant(1)->data<float>();
  const float* beta = ctx.constant(2)->data<float>();
  const float* mean = ctx.constant(3)->data<float>();
  const float* variance = ctx.constant(4)->data<float>();
  for (int64_t c = 0; c < ctx.constant(1)->size(); ++c) {
    scale.push_back(gamma[c] / std::sqrt(variance[c] + op.epsilon));
    shift.push_back(beta[c] - mean[c] * scale.back());
  }
  return std::make_unique<ChannelNormKernel>(std::move(scale), std::move(shift),
                                             PickNormF32(site.isa));
}

}  // namespace stint
