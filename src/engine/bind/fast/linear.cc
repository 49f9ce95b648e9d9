#include <algorithm>

#include "engine/bind/evaluate.h"
#include "engine/bind/fast/fast.h"
#include "engine/bind/fast/packed_matrix.h"
#include "engine/bind/fused_activation.h"

namespace stint {
namespace {

// One or more linear layers of the same input as one product.
class LinearKernel : public NodeKernel {
 public:
  LinearKernel(const FusedLinear& op, const GemmF32Kernel& kernel,
               PackedMatrix weights, std::vector<float> bias)
      : op_(op),
        act_(ActivationOf(op)),
        kernel_(kernel),
        weights_(std::move(weights)),
        bias_(std::move(bias)) {}

  Status Run(EvalContext& ctx) override {
    const Tensor& x = ctx.in(0);
    Tensor& y = ctx.out(0);
    GemmF32Args args;
    args.k = weights_.k;
    args.n = weights_.n;
    args.m = args.k > 0 ? x.size() / args.k : 0;
    if (ctx.has(1)) {
      // A residual that broadcasts is too rare for a loop of its own.
      if (ctx.in(1).shape() != y.shape() || y.size() != args.m * args.n) {
        return Evaluate(op_, ctx);
      }
      args.residual = ctx.in(1).data<float>();
      args.ldr = args.n;
    }
    args.a = x.data<float>();
    args.lda = args.k;
    args.b = weights_.data();
    args.c = y.data<float>();
    args.ldc = args.n;
    args.bias_n = bias_.empty() ? nullptr : bias_.data();
    args.act = act_;
    GemmF32(kernel_, args, ctx.pool());
    return OkStatus();
  }

 private:
  const Op op_;
  const Activation act_;
  const GemmF32Kernel& kernel_;
  PackedMatrix weights_;
  std::vector<float> bias_;  // empty: none
};

// Weights side by side. Each starts on a panel of its own where the widths
// allow; else they are joined before they are packed.
Result<PackedMatrix> PackParts(const GemmF32Kernel& kernel,
                               const std::vector<const Tensor*>& parts,
                               bool transposed) {
  PackedMatrix packed;
  packed.k = parts[0]->dim(transposed ? 1 : 0);
  bool whole_panels = true;
  for (const Tensor* part : parts) {
    whole_panels = whole_panels && packed.n % kernel.tile_n == 0;
    packed.n += part->dim(transposed ? 0 : 1);
  }
  const int64_t bytes = GemmF32PackedBytes(kernel, packed.n, packed.k);
  STINT_ASSIGN_OR_RETURN(packed.panels,
                         Tensor::Allocate(DType::kFloat32, {bytes / 4}));
  float* to = packed.panels.data<float>();
  if (whole_panels) {
    int64_t first = 0;
    for (const Tensor* part : parts) {
      const int64_t n = part->dim(transposed ? 0 : 1);
      GemmF32PackB(kernel, {part->data<float>(), part->dim(1), transposed}, n,
                   packed.k, to + first * packed.k, nullptr);
      first += n;
    }
    return packed;
  }
  std::vector<float> joined(static_cast<size_t>(packed.k * packed.n));
  int64_t first = 0;
  for (const Tensor* part : parts) {
    const int64_t n = part->dim(transposed ? 0 : 1);
    for (int64_t i = 0; i < packed.k * n; ++i) {
      const int64_t row = transposed ? i % packed.k : i / n;
      const int64_t column = transposed ? i / packed.k : i % n;
      joined[static_cast<size_t>(row * packed.n + first + column)] =
          part->data<float>()[i];
    }
    first += n;
  }
  GemmF32PackB(kernel, {joined.data(), packed.n, false}, packed.n, packed.k, to,
               nullptr);
  return packed;
}

// The biases side by side, zeros where a layer has none; empty when none has.
// Nothing when one is not a constant.
std::optional<std::vector<float>> JoinBias(
    const InferContext& ctx, const std::vector<const Tensor*>& parts,
    bool transposed) {
  std::vector<float> joined;
  bool any = false;
  for (size_t p = 0; p < parts.size(); ++p) {
    const int at = FusedLinear::kFirstWeight + 2 * static_cast<int>(p) + 1;
    const int64_t n = parts[p]->dim(transposed ? 0 : 1);
    if (!ctx.has(at)) {
      joined.resize(joined.size() + static_cast<size_t>(n), 0.0f);
      continue;
    }
    const Tensor* bias = ctx.constant(at);
    if (bias == nullptr || bias->size() != n) return std::nullopt;
    joined.insert(joined.end(), bias->data<float>(), bias->data<float>() + n);
    any = true;
  }
  if (!any) joined.clear();
  return joined;
}

}  // namespace

NodeKernelPtr Bind(const FusedLinear& op, const InferContext& ctx,
                   const KernelSite& site) {
  if (!AllFloat32(ctx)) return nullptr;
  std::vector<const Tensor*> parts;
  for (int i = FusedLinear::kFirstWeight; i < ctx.num_inputs(); i += 2) {
    parts.push_back(ctx.constant(i));
    if (parts.back() == nullptr) return nullptr;
  }
  auto bias = JoinBias(ctx, parts, op.transB != 0);
  if (!bias) return nullptr;
  const GemmF32Kernel& kernel = PickGemmF32(site.isa);
  auto packed = PackParts(kernel, parts, op.transB != 0);
  if (!packed.ok()) return nullptr;
  return std::make_unique<LinearKernel>(op, kernel, std::move(packed).value(),
                                        std::move(*bias));
}

}  // namespace stint
