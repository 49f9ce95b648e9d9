#include "engine/bind/evaluate.h"
#include "engine/bind/fast/linear_layer.h"
#include "kernels/gemm_bf16/gemm_bf16.h"

namespace stint {
namespace {

// Weights in half the bytes, everything else as in float32.
class LinearBf16 : public NodeKernel {
 public:
  LinearBf16(const FusedLinear& op, const GemmBf16Kernel& kernel, int64_t k,
             int64_t n, Tensor panels, std::vector<float> bias)
      : op_(op),
        act_(ActivationOf(op)),
        kernel_(kernel),
        k_(k),
        n_(n),
        panels_(std::move(panels)),
        bias_(std::move(bias)) {}

  size_t ScratchBytes(const EvalContext& ctx) const override {
    const LinearRun run = MakeLinearRun(ctx, k_, n_);
    return static_cast<size_t>(GemmBf16ScratchBytes(kernel_, run.args.m, k_));
  }

  Status Run(EvalContext& ctx) override {
    LinearRun run = MakeLinearRun(ctx, k_, n_);
    if (!run.residual_fits) return Evaluate(op_, ctx);
    run.args.c = ctx.out(0).data<float>();
    run.args.bias_n = bias_.empty() ? nullptr : bias_.data();
    run.args.act = act_;
    GemmBf16(kernel_,
             {run.args, panels_.data<uint16_t>(),
              static_cast<uint16_t*>(ctx.scratch())},
             ctx.pool());
    return OkStatus();
  }

 private:
  const Op op_;
  const Activation act_;
  const GemmBf16Kernel& kernel_;
  const int64_t k_;
  const int64_t n_;
  const Tensor panels_;
  const std::vector<float> bias_;
};

}  // namespace

NodeKernelPtr MakeLinearBf16(const FusedLinear& op,
                             const JoinedWeights& weights,
                             const KernelSite& site) {
  const GemmBf16Kernel& kernel = PickGemmBf16(site.isa);
  const int64_t bytes = GemmBf16PackedBytes(kernel, weights.n, weights.k);
  auto panels = Tensor::Allocate(DType::kUInt16, {bytes / 2});
  if (!panels.ok()) return nullptr;
  GemmBf16PackB(kernel,
                {weights.data, nullptr, weights.stride, weights.transposed},
                weights.n, weights.k, panels->data<uint16_t>(), nullptr);
  return std::make_unique<LinearBf16>(op, kernel, weights.k, weights.n,
                                      std::move(panels).value(), weights.bias);
}

}  // namespace stint
