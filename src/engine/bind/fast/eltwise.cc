#include <optional>

#include "core/tensor/broadcast.h"
#include "core/tensor/element_access.h"
#include "engine/bind/fast/fast.h"
#include "engine/bind/reference/elementwise/elementwise.h"
#include "kernels/eltwise_f32/eltwise_f32.h"

namespace stint {
namespace {

class UnaryKernel : public NodeKernel {
 public:
  UnaryKernel(UnaryF32Fn run, float alpha, float beta)
      : run_(run), alpha_(alpha), beta_(beta) {}

  Status Run(EvalContext& ctx) override {
    const Tensor& x = ctx.in(0);
    UnaryF32(
        run_,
        {x.data<float>(), ctx.out(0).data<float>(), x.size(), alpha_, beta_},
        ctx.pool());
    return OkStatus();
  }

 private:
  const UnaryF32Fn run_;
  const float alpha_;
  const float beta_;
};

NodeKernelPtr MakeUnary(UnaryOp op, const InferContext& ctx,
                        const KernelSite& site, float alpha = 0,
                        float beta = 0) {
  if (ctx.in(0).dtype != DType::kFloat32) return nullptr;
  return std::make_unique<UnaryKernel>(PickEltwiseF32(site.isa).unary(op),
                                       alpha, beta);
}

std::optional<UnaryOp> FastUnary(UnaryKind kind) {
  switch (kind) {
    case UnaryKind::kAbs:
      return UnaryOp::kAbs;
    case UnaryKind::kErf:
      return UnaryOp::kErf;
    case UnaryKind::kExp:
      return UnaryOp::kExp;
    case UnaryKind::kHardSwish:
      return UnaryOp::kHardSwish;
    case UnaryKind::kNeg:
      return UnaryOp::kNeg;
    case UnaryKind::kReciprocal:
      return UnaryOp::kReciprocal;
    case UnaryKind::kRelu:
      return UnaryOp::kRelu;
    case UnaryKind::kSigmoid:
      return UnaryOp::kSigmoid;
    case UnaryKind::kSqrt:
      return UnaryOp::kSqrt;
    case UnaryKind::kTanh:
      return UnaryOp::kTanh;
    default:
      return std::nullopt;
  }
}

// a op b with broadcasting: one call when the operands lie as matrices, rows,
// columns or scalars; otherwise one call per run of the last dimension.
void RunBinary(BinaryF32Fn run, const Tensor& a, const Tensor& b, Tensor* out,
               ThreadPool* pool) {
  const BroadcastWalk walk(out->shape(), {&a.shape(), &b.shape()});
  BinaryF32Args args;
  args.cols = walk.run_length();
  args.row_stride = args.cols;
  args.a.col_stride = walk.repeats(0) ? 0 : 1;
  args.b.col_stride = walk.repeats(1) ? 0 : 1;
  if (walk.outer_rank() <= 1) {
    args.rows =
        walk.outer_rank() == 0 ? (args.cols > 0 ? 1 : 0) : walk.outer_dim(0);
    if (walk.outer_rank() == 1) {
      args.a.row_stride = walk.outer_stride(0, 0);
      args.b.row_stride = walk.outer_stride(1, 0);
    }
    args.a.data = a.data<float>();
    args.b.data = b.data<float>();
    args.out = out->data<float>();
    BinaryF32(run, args, pool);
    return;
  }
  args.rows = 1;
  walk.ForEachRun([&](int64_t at, const int64_t* in) {
    args.a.data = a.data<float>() + in[0];
    args.b.data = b.data<float>() + in[1];
    args.out = out->data<float>() + at;
    run(args);
  });
}

class BinaryKernel : public NodeKernel {
 public:
  explicit BinaryKernel(BinaryF32Fn run) : run_(run) {}
  Status Run(EvalContext& ctx) override {
    RunBinary(run_, ctx.in(0), ctx.in(1), &ctx.out(0), ctx.pool());
    return OkStatus();
  }

 private:
  const BinaryF32Fn run_;
};

std::optional<BinaryOp> FastBinary(BinaryKind kind) {
  switch (kind) {
    case BinaryKind::kAdd:
      return BinaryOp::kAdd;
    case BinaryKind::kSub:
      return BinaryOp::kSub;
    case BinaryKind::kMul:
      return BinaryOp::kMul;
    case BinaryKind::kDiv:
      return BinaryOp::kDiv;
    default:
      return std::nullopt;
  }
}

}  // namespace

NodeKernelPtr Bind(const Unary& op, const InferContext& ctx,
                   const KernelSite& site) {
  const auto fast = FastUnary(op.kind);
  return fast ? MakeUnary(*fast, ctx, site) : nullptr;
}
NodeKernelPtr Bind(const LeakyRelu& op, const InferContext& ctx,
                   const KernelSite& site) {
  return MakeUnary(UnaryOp::kLeakyRelu, ctx, site, op.alpha);
}
NodeKernelPtr Bind(const Elu& op, const InferContext& ctx,
                   const KernelSite& site) {
  return MakeUnary(UnaryOp::kElu, ctx, site, op.alpha);
}
NodeKernelPtr Bind(const HardSigmoid& op, const InferContext& ctx,
                   const KernelSite& site) {
  return MakeUnary(UnaryOp::kHardSigmoid, ctx, site, op.alpha, op.beta);
}
NodeKernelPtr Bind(const Swish& op, const InferContext& ctx,
                   const KernelSite& site) {
  return op.alpha == 1.0f ? MakeUnary(UnaryOp::kSilu, ctx, site) : nullptr;
}
NodeKernelPtr Bind(const Gelu& op, const InferContext& ctx,
                   const KernelSite& site) {
  return MakeUnary(
      op.approximate == "tanh" ? UnaryOp::kGeluTanh : UnaryOp::kGeluErf, ctx,
      site);
}
NodeKernelPtr Bind(const Clip&, const InferContext& ctx,
                   const KernelSite& site) {
  const auto bound = [&](int i, float fallback) -> std::optional<float> {
    if (!ctx.has(i)) return fallback;
    const Tensor* tensor = ctx.constant(i);
    if (tensor == nullptr || tensor->size() != 1) return std::nullopt;
    return ScalarAs<float>(*tensor);
  };
  const auto low = bound(1, -std::numeric_limits<float>::infinity());
  const auto high = bound(2, std::numeric_limits<float>::infinity());
  if (!low || !high || *low > *high) return nullptr;
  return MakeUnary(UnaryOp::kClip, ctx, site, *low, *high);
}
NodeKernelPtr Bind(const Binary& op, const InferContext& ctx,
                   const KernelSite& site) {
  const auto fast = FastBinary(op.kind);
  if (!fast || !AllFloat32(ctx)) return nullptr;
  return std::make_unique<BinaryKernel>(PickEltwiseF32(site.isa).binary(*fast));
}
NodeKernelPtr Bind(const Variadic& op, const InferContext& ctx,
                   const KernelSite& site) {
  if (op.kind != VariadicKind::kSum || ctx.num_inputs() != 2 ||
      !AllFloat32(ctx)) {
    return nullptr;
  }
  return std::make_unique<BinaryKernel>(
      PickEltwiseF32(site.isa).binary(BinaryOp::kAdd));
}

}  // namespace stint
