#include <algorithm>

#include "engine/choose/linear_choice.h"
#include "engine/nodes/linear/packed_matrix.h"
#include "engine/nodes/nodes.h"
#include "engine/reference/linear/linear.h"
#include "kernels/gemm_f32/gemm_f32.h"

namespace stint {
namespace {

// A constant matrix on the right: packed once.
class PackedMatMul : public NodeKernel {
 public:
  PackedMatMul(Isa isa, PackedMatrix weights)
      : isa_(isa), kernel_(PickGemmF32(isa)), weights_(std::move(weights)) {}

  KernelChoice Explain(const EvalContext&) const override {
    return ExplainProduct(isa_);
  }

  Status Run(EvalContext& ctx) override {
    const Tensor& a = ctx.in(0);
    GemmF32Args args;
    args.k = weights_.k;
    args.n = weights_.n;
    args.m = args.n > 0 ? ctx.out(0).size() / args.n : 0;
    args.a = a.data<float>();
    args.lda = args.k;
    args.b = weights_.data();
    args.c = ctx.out(0).data<float>();
    args.ldc = args.n;
    GemmF32(kernel_, args, ctx.pool());
    return OkStatus();
  }

 private:
  const Isa isa_;
  const GemmF32Kernel& kernel_;
  PackedMatrix weights_;
};

// Two activations: the right one is packed in every run.
class BatchedMatMul : public NodeKernel {
 public:
  explicit BatchedMatMul(Isa isa) : isa_(isa), kernel_(PickGemmF32(isa)) {}

  Result<std::unique_ptr<StepState>> Prepare(const EvalContext& ctx) override {
    auto state = std::make_unique<State>();
    STINT_ASSIGN_OR_RETURN(const Shape out,
                           MatMulShape(ctx.in(0).shape(), ctx.in(1).shape()));
    state->plan = PlanMatMul(ctx.in(0).shape(), ctx.in(1).shape(), out);
    return std::unique_ptr<StepState>(std::move(state));
  }

  size_t ScratchBytes(const EvalContext& ctx) const override {
    const MatMulPlan& plan = ctx.state<State>().plan;
    return static_cast<size_t>(GemmF32BatchScratchBytes(kernel_, plan.n, plan.k,
                                                        ctx.pool()->threads()));
  }

  KernelChoice Explain(const EvalContext&) const override {
    return ExplainProduct(isa_);
  }

  Status Run(EvalContext& ctx) override {
    const MatMulPlan& plan = ctx.state<State>().plan;
    if (plan.k == 0) {  // a sum of nothing
      std::fill_n(ctx.out(0).data<float>(), ctx.out(0).size(), 0.0f);
      return OkStatus();
    }
    GemmF32BatchArgs args;
    args.one.m = plan.m;
    args.one.n = plan.n;
    args.one.k = plan.k;
    args.one.lda = plan.k;
    args.one.ldc = plan.n;
    args.b.ldb = plan.n;
    args.scratch = static_cast<float*>(ctx.scratch());
    // Batches that advance evenly go in one call.
    for (size_t first = 0; first < plan.batches.size();) {
      const size_t count = EvenRun(plan.batches, first);
      const auto& batch = plan.batches[first];
      args.one.a = ctx.in(0).data<float>() + batch.a;
      args.b.data = ctx.in(1).data<float>() + batch.b;
      args.one.c = ctx.out(0).data<float>() + batch.c;
      args.batch = static_cast<int64_t>(count);
      if (count > 1) {
        const auto& next = plan.batches[first + 1];
        args.a_stride = next.a - batch.a;
        args.b_stride = next.b - batch.b;
        args.c_stride = next.c - batch.c;
      }
      GemmF32Batch(kernel_, args, ctx.pool());
      first += count;
    }
    return OkStatus();
  }

 private:
  struct State : StepState {
    MatMulPlan plan;
  };

  static size_t EvenRun(const std::vector<MatMulPlan::Batch>& batches,
                        size_t first) {
    size_t count = 1;
    while (first + count < batches.size()) {
      const auto& previous = batches[first + count - 1];
      const auto& next = batches[first + count];
      if (count > 1 &&
          (next.a - previous.a != batches[first + 1].a - batches[first].a ||
           next.b - previous.b != batches[first + 1].b - batches[first].b)) {
        break;
      }
      ++count;
    }
    return count;
  }

  const Isa isa_;
  const GemmF32Kernel& kernel_;
};

class PackedGemm : public NodeKernel {
 public:
  PackedGemm(const Gemm& op, Isa isa, PackedMatrix weights,
             std::vector<float> bias)
      : op_(op),
        isa_(isa),
        kernel_(PickGemmF32(isa)),
        weights_(std::move(weights)),
        bias_(std::move(bias)) {}

  KernelChoice Explain(const EvalContext&) const override {
    return ExplainProduct(isa_);
  }

  Status Run(EvalContext& ctx) override {
    GemmF32Args args;
    args.m = ctx.out(0).dim(0);
    args.n = weights_.n;
    args.k = weights_.k;
    args.a = ctx.in(0).data<float>();
    args.lda = args.k;
    args.b = weights_.data();
    args.c = ctx.out(0).data<float>();
    args.ldc = args.n;
    args.alpha = op_.alpha;
    args.bias_n = bias_.empty() ? nullptr : bias_.data();
    GemmF32(kernel_, args, ctx.pool());
    return OkStatus();
  }

 private:
  const Gemm op_;
  const Isa isa_;
  const GemmF32Kernel& kernel_;
  PackedMatrix weights_;
  std::vector<float> bias_;  // scaled by beta
};

}  // namespace

NodeKernelPtr Bind(const MatMul&, const InferContext& ctx,
                   const KernelSite& site) {
  if (!AllFloat32(ctx)) return nullptr;
  const GemmF32Kernel& kernel = PickGemmF32(site.isa);
  const Tensor* b = ctx.constant(1);
  if (b != nullptr && b->rank() == 2 && ctx.in(0).rank() >= 2) {
    auto packed = PackMatrix(kernel, *b, /*transposed=*/false);
    if (!packed.ok()) return nullptr;
    return std::make_unique<PackedMatMul>(site.isa, std::move(packed).value());
  }
  return std::make_unique<BatchedMatMul>(site.isa);
}

NodeKernelPtr Bind(const Gemm& op, const InferContext& ctx,
                   const KernelSite& site) {
  const Tensor* b = ctx.constant(1);
  if (!AllFloat32(ctx) || b == nullptr || op.transA) return nullptr;
  const GemmF32Kernel& kernel = PickGemmF32(site.isa);
  const int64_t n = b->dim(op.transB ? 0 : 1);
  std::vector<float> bias;
  if (ctx.has(2)) {
    const Tensor* c = ctx.constant(2);
    const bool row = c != nullptr && (c->size() == 1 || c->size() == n) &&
                     (c->rank() < 2 || c->dim(0) == 1);
    if (!row) return nullptr;
    for (int64_t i = 0; i < n; ++i) {
      bias.push_back(op.beta * c->data<float>()[c->size() == 1 ? 0 : i]);
    }
  }
  auto packed = PackMatrix(kernel, *b, op.transB != 0);
  if (!packed.ok()) return nullptr;
  return std::make_unique<PackedGemm>(op, site.isa, std::move(packed).value(),
                                      std::move(bias));
}

}  // namespace stint
