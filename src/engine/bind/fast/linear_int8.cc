#include "core/base/checked_math.h"
#include "engine/bind/evaluate.h"
#include "engine/bind/fast/linear_layer.h"
#include "kernels/gemm_s8/gemm_s8.h"
#include "kernels/gemm_s8/quantize_columns.h"

namespace stint {
namespace {

// Where a run keeps its quantized input: bytes, then a scale and a zero point
// per row, then what the kernel needs.
struct QuantizedInput {
  QuantizedInput(const GemmS8Kernel& kernel, int64_t m, int64_t k)
      : row_bytes(RoundUp(k, 4)),
        scale_at(RoundUp(m * row_bytes, 64)),
        zero_at(scale_at + RoundUp(m * 4, 64)),
        scratch_at(zero_at + RoundUp(m, 64)),
        bytes(scratch_at + GemmS8ScratchBytes(kernel, m, k)) {}
  int64_t row_bytes;
  int64_t scale_at;
  int64_t zero_at;
  int64_t scratch_at;
  int64_t bytes;
};

// Weights in int8 with a scale per output channel, activations quantized row by
// row as they come.
class LinearInt8 : public NodeKernel {
 public:
  LinearInt8(const FusedLinear& op, const GemmS8Kernel& kernel, int64_t k,
             int64_t n)
      : op_(op), act_(ActivationOf(op)), kernel_(kernel), k_(k), n_(n) {}

  Status Pack(const JoinedWeights& weights) {
    bias_ = weights.bias;
    scale_.resize(static_cast<size_t>(n_));
    std::vector<int8_t> codes(static_cast<size_t>(n_ * k_));
    QuantizeColumns({.n = n_,
                     .k = k_,
                     .w = weights.data,
                     .ldw = weights.stride,
                     .transposed = weights.transposed,
                     .q = codes.data(),
                     .scale = scale_.data()});
    STINT_ASSIGN_OR_RETURN(
        panels_,
        Tensor::Allocate(DType::kInt8, {GemmS8PackedBytes(kernel_, n_, k_)}));
    GemmS8PackB(kernel_, {codes.data(), weights.stride, weights.transposed}, n_,
                k_, panels_.data<int8_t>(), nullptr);
    return OkStatus();
  }

  size_t ScratchBytes(const EvalContext& ctx) const override {
    const LinearRun run = MakeLinearRun(ctx, k_, n_);
    return static_cast<size_t>(QuantizedInput(kernel_, run.args.m, k_).bytes);
  }

  Status Run(EvalContext& ctx) override {
    const LinearRun run = MakeLinearRun(ctx, k_, n_);
    if (!run.residual_fits) return Evaluate(op_, ctx);
    const QuantizedInput place(kernel_, run.args.m, k_);
    auto* scratch = static_cast<uint8_t*>(ctx.scratch());
    auto* scale = reinterpret_cast<float*>(scratch + place.scale_at);
    uint8_t* zero = scratch + place.zero_at;
    QuantizeRows(kernel_,
                 {.m = run.args.m,
                  .k = k_,
                  .x = run.args.a,
                  .ldx = k_,
                  .q = scratch,
                  .ldq = place.row_bytes,
                  .scale = scale,
                  .zero = zero},
                 ctx.pool());
    GemmS8Args args;
    args.m = run.args.m;
    args.n = n_;
    args.k = k_;
    args.a = scratch;
    args.lda = place.row_bytes;
    args.scale_a = scale;
    args.zero_a = zero;
    args.b = panels_.data<int8_t>();
    args.scale_b = scale_.data();
    args.bias_n = bias_.empty() ? nullptr : bias_.data();
    args.residual = run.args.residual;
    args.ldr = run.args.ldr;
    args.act = act_;
    args.c = ctx.out(0).data<float>();
    args.ldc = n_;
    args.scratch = scratch + place.scratch_at;
    GemmS8(kernel_, args, ctx.pool());
    return OkStatus();
  }

 private:
  const Op op_;
  const Activation act_;
  const GemmS8Kernel& kernel_;
  const int64_t k_;
  const int64_t n_;
  Tensor panels_;
  std::vector<float> scale_;
  std::vector<float> bias_;
};

}  // namespace

NodeKernelPtr MakeLinearInt8(const FusedLinear& op,
                             const JoinedWeights& weights,
                             const KernelSite& site) {
  if (weights.k > kGemmS8MaxK) return MakeLinearF32(op, weights, site);
  auto linear = std::make_unique<LinearInt8>(op, PickGemmS8(site.isa),
                                             weights.k, weights.n);
  if (!linear->Pack(weights).ok()) return nullptr;
  return linear;
}

}  // namespace stint
