#include <algorithm>

#include "engine/bind/evaluate.h"
#include "engine/bind/fast/linear_layer.h"

namespace stint {
namespace {

class LinearF32 : public NodeKernel {
 public:
  LinearF32(const FusedLinear& op, const GemmF32Kernel& kernel, int64_t k,
            int64_t n, Tensor panels, std::vector<float> bias)
      : op_(op),
        act_(ActivationOf(op)),
        kernel_(kernel),
        k_(k),
        n_(n),
        panels_(std::move(panels)),
        bias_(std::move(bias)) {}

  Status Run(EvalContext& ctx) override {
    LinearRun run = MakeLinearRun(ctx, k_, n_);
    if (!run.residual_fits) return Evaluate(op_, ctx);
    run.args.b = panels_.data<float>();
    run.args.c = ctx.out(0).data<float>();
    run.args.bias_n = bias_.empty() ? nullptr : bias_.data();
    run.args.act = act_;
    GemmF32(kernel_, run.args, ctx.pool());
    return OkStatus();
  }

 private:
  const Op op_;
  const Activation act_;
  const GemmF32Kernel& kernel_;
  const int64_t k_;
  const int64_t n_;
  const Tensor panels_;
  const std::vector<float> bias_;
};

// Copies part `part` into columns [first, ...) of the joined matrix.
void CopyPart(const Tensor& part, int64_t first, JoinedWeights* joined) {
  const float* from = part.data<float>();
  if (joined->transposed) {
    std::copy_n(from, part.size(), joined->copy.data() + first * joined->k);
    return;
  }
  const int64_t n = part.dim(1);
  for (int64_t i = 0; i < joined->k; ++i) {
    std::copy_n(from + i * n, n, joined->copy.data() + i * joined->n + first);
  }
}

}  // namespace

std::optional<JoinedWeights> JoinWeights(const FusedLinear& op,
                                         const InferContext& ctx) {
  JoinedWeights joined;
  joined.transposed = op.transB != 0;
  std::vector<const Tensor*> parts;
  bool has_bias = false;
  for (int i = FusedLinear::kFirstWeight; i < ctx.num_inputs(); i += 2) {
    const Tensor* w = ctx.constant(i);
    if (w == nullptr) return std::nullopt;
    const int64_t n = w->dim(joined.transposed ? 0 : 1);
    if (ctx.has(i + 1)) {
      const Tensor* bias = ctx.constant(i + 1);
      if (bias == nullptr || bias->size() != n) return std::nullopt;
      const float* data = bias->data<float>();
      joined.bias.insert(joined.bias.end(), data, data + n);
      has_bias = true;
    } else {
      joined.bias.resize(joined.bias.size() + static_cast<size_t>(n), 0.0f);
    }
    joined.k = w->dim(joined.transposed ? 1 : 0);
    joined.n += n;
    parts.push_back(w);
  }
  if (!has_bias) joined.bias.clear();
  joined.stride = joined.transposed ? joined.k : joined.n;
  joined.data = parts[0]->data<float>();
  if (parts.size() == 1) return joined;
  joined.copy.resize(static_cast<size_t>(joined.k * joined.n));
  int64_t first = 0;
  for (const Tensor* part : parts) {
    CopyPart(*part, first, &joined);
    first += part->dim(joined.transposed ? 0 : 1);
  }
  joined.data = joined.copy.data();
  return joined;
}

LinearRun MakeLinearRun(const EvalContext& ctx, int64_t k, int64_t n) {
  const Tensor& x = ctx.in(0);
  LinearRun run;
  run.args.k = k;
  run.args.n = n;
  run.args.m = k > 0 ? x.size() / k : 0;
  run.args.a = x.data<float>();
  run.args.lda = k;
  run.args.ldc = n;
  if (ctx.has(1)) {
    run.args.residual = ctx.in(1).data<float>();
    run.args.ldr = n;
    const Shape& r = ctx.in(1).shape();
    run.residual_fits = r.size() == x.shape().size() && r.back() == n &&
                        std::equal(r.begin(), r.end() - 1, x.shape().begin());
  }
  return run;
}

NodeKernelPtr MakeLinearF32(const FusedLinear& op, const JoinedWeights& weights,
                            const KernelSite& site) {
  const GemmF32Kernel& kernel = PickGemmF32(site.isa);
  const int64_t bytes = GemmF32PackedBytes(kernel, weights.n, weights.k);
  auto panels = Tensor::Allocate(DType::kFloat32, {bytes / 4});
  if (!panels.ok()) return nullptr;
  GemmF32PackB(kernel, {weights.data, weights.stride, weights.transposed},
               weights.n, weights.k, panels->data<float>(), nullptr);
  return std::make_unique<LinearF32>(op, kernel, weights.k, weights.n,
                                     std::move(panels).value(), weights.bias);
}

NodeKernelPtr Bind(const FusedLinear& op, const InferContext& ctx,
                   const KernelSite& site) {
  if (!AllFloat32(ctx)) return nullptr;
  const auto weights = JoinWeights(op, ctx);
  if (!weights) return nullptr;
  switch (site.precision) {
    case Precision::kFloat32:
      return MakeLinearF32(op, *weights, site);
    case Precision::kBFloat16:
      return MakeLinearBf16(op, *weights, site);
    case Precision::kInt8:
      return MakeLinearInt8(op, *weights, site);
  }
  return nullptr;
}

}  // namespace stint
