#include <algorithm>
#include <optional>

#include "core/tensor/broadcast.h"
#include "core/tensor/element_access.h"
#include "engine/nodes/nodes.h"
#include "engine/reference/elementwise/elementwise.h"
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

// a op b with broadcasting, as calls on matrices, rows, columns or scalars.
class BinaryKernel : public NodeKernel {
 public:
  explicit BinaryKernel(BinaryF32Fn run) : run_(run) {}

  Result<std::unique_ptr<StepState>> Prepare(const EvalContext& ctx) override {
    const Shape& a = ctx.in(0).shape();
    const Shape& b = ctx.in(1).shape();
    STINT_ASSIGN_OR_RETURN(const Shape out, BroadcastShapes(a, b));
    const BroadcastWalk walk(out, {&a, &b});
    auto state = std::make_unique<State>();
    state->args.cols = walk.run_length();
    state->args.row_stride = state->args.cols;
    state->args.a.col_stride = walk.repeats(0) ? 0 : 1;
    state->args.b.col_stride = walk.repeats(1) ? 0 : 1;
    state->args.rows = state->args.cols > 0 ? 1 : 0;
    if (const size_t rank = walk.outer_rank(); rank > 0) {
      state->args.rows = walk.outer_dim(rank - 1);
      state->args.a.row_stride = walk.outer_stride(0, rank - 1);
      state->args.b.row_stride = walk.outer_stride(1, rank - 1);
    }
    AddCalls(walk, 0, {0, 0, 0}, state.get());
    return std::unique_ptr<StepState>(std::move(state));
  }

  Status Run(EvalContext& ctx) override {
    const auto& state = ctx.state<State>();
    const float* a = ctx.in(0).data<float>();
    const float* b = ctx.in(1).data<float>();
    float* out = ctx.out(0).data<float>();
    if (state.calls.size() == 1) {
      BinaryF32(run_, ArgsAt(state, 0, a, b, out), ctx.pool());
      return OkStatus();
    }
    // Threads pay when each has some thousand elements.
    const int64_t each =
        std::max<int64_t>(1, state.args.rows * state.args.cols);
    ctx.pool()->ParallelFor(
        static_cast<int64_t>(state.calls.size()), 1 + 8192 / each,
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            run_(ArgsAt(state, static_cast<size_t>(i), a, b, out));
          }
        });
    return OkStatus();
  }

 private:
  struct Call {
    int64_t out, a, b;  // first elements
  };
  struct State : StepState {
    BinaryF32Args args;  // but for the memory
    std::vector<Call> calls;
  };

  // A call for each index of the outer dimensions but the last, which is the
  // rows of a call.
  static void AddCalls(const BroadcastWalk& walk, size_t d, Call at,
                       State* state) {
    if (d + 1 >= walk.outer_rank()) {
      state->calls.push_back(at);
      return;
    }
    int64_t below = walk.run_length();
    for (size_t e = d + 1; e < walk.outer_rank(); ++e) {
      below *= walk.outer_dim(e);
    }
    for (int64_t i = 0; i < walk.outer_dim(d); ++i) {
      AddCalls(walk, d + 1,
               {at.out + i * below, at.a + i * walk.outer_stride(0, d),
                at.b + i * walk.outer_stride(1, d)},
               state);
    }
  }

  static BinaryF32Args ArgsAt(const State& state, size_t i, const float* a,
                              const float* b, float* out) {
    BinaryF32Args args = state.args;
    const Call& call = state.calls[i];
    args.a.data = a + call.a;
    args.b.data = b + call.b;
    args.out = out + call.out;
    return args;
  }

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
