#include <optional>

#include "engine/nodes/nodes.h"
#include "kernels/recurrent_f32/recurrent_f32.h"

namespace stint {
namespace {

std::optional<GateFunction> FunctionOf(const GateActivation& gate) {
  using Kind = GateActivation::Kind;
  const auto of = [&](GateCurve curve) {
    return GateFunction{curve, gate.alpha, gate.beta};
  };
  switch (gate.kind) {
    case Kind::kAffine:
      return of(GateCurve::kAffine);
    case Kind::kElu:
      return of(GateCurve::kElu);
    case Kind::kHardSigmoid:
      return of(GateCurve::kHardSigmoid);
    case Kind::kLeakyRelu:
      return of(GateCurve::kLeakyRelu);
    case Kind::kRelu:
      return of(GateCurve::kRelu);
    case Kind::kScaledTanh:
      return of(GateCurve::kScaledTanh);
    case Kind::kSigmoid:
      return of(GateCurve::kSigmoid);
    case Kind::kSoftplus:
      return std::nullopt;
    case Kind::kSoftsign:
      return of(GateCurve::kSoftsign);
    case Kind::kTanh:
      return of(GateCurve::kTanh);
    case Kind::kThresholdedRelu:
      return of(GateCurve::kThresholdedRelu);
  }
  return std::nullopt;
}

// What does not depend on shapes.
struct Layer {
  RecurrentF32Args args;  // kind, directions, clip and the like
  int64_t layout = 0;
  int64_t gates = 0;
  Tensor w, r, bias, peepholes;  // the last two may be absent
};

// Weights are packed once, for all shapes.
class RecurrentKernel : public NodeKernel {
 public:
  RecurrentKernel(Layer layer, Isa isa)
      : layer_(std::move(layer)),
        kernel_(PickRecurrentF32(isa)),
        gemm_(PickGemmF32(isa)) {}

  Result<std::unique_ptr<StepState>> Prepare(const EvalContext& ctx) override {
    if (packed_.empty()) STINT_RETURN_IF_ERROR(Pack());
    auto state = std::make_unique<State>();
    RecurrentF32Args& args = state->args;
    args = layer_.args;
    const Tensor& x = ctx.in(0);
    args.batch_first = layer_.layout == 1;
    args.length = x.dim(args.batch_first ? 1 : 0);
    args.batch = x.dim(args.batch_first ? 0 : 1);
    args.input = x.dim(2);
    SetStrides(&args);
    return std::unique_ptr<StepState>(std::move(state));
  }

  size_t ScratchBytes(const EvalContext& ctx) const override {
    return static_cast<size_t>(
        RecurrentF32ScratchBytes(ctx.state<State>().args));
  }

  KernelChoice Explain(const EvalContext&) const override {
    return {std::string("recurrent_") + kernel_.name, "default", ""};
  }

  Status Run(EvalContext& ctx) override {
    RecurrentF32Args args = ctx.state<State>().args;
    const auto input = [&](int i) {
      return ctx.has(i) ? ctx.in(i).data<float>() : nullptr;
    };
    const auto output = [&](int i) {
      return ctx.wants(i) ? ctx.out(i).data<float>() : nullptr;
    };
    args.x = input(0);
    args.h0 = input(5);
    args.c0 = input(6);
    if (ctx.has(4)) {
      args.lengths = ctx.in(4).data<int32_t>();
      STINT_RETURN_IF_ERROR(CheckLengths(args));
    }
    args.y = output(0);
    args.h = output(1);
    args.c = output(2);
    args.scratch = static_cast<float*>(ctx.scratch());
    RecurrentF32(kernel_, gemm_, args, ctx.pool());
    return OkStatus();
  }

 private:
  struct State : StepState {
    RecurrentF32Args args;
  };

  static void SetStrides(RecurrentF32Args* args) {
    const int64_t h = args->hidden;
    const int64_t d = args->directions;
    const int64_t b = args->batch;
    if (args->batch_first) {
      args->y_strides = {d * h, h, args->length * d * h};
      args->state_strides = {0, h, d * h};
    } else {
      args->y_strides = {d * b * h, b * h, h};
      args->state_strides = {0, b * h, h};
    }
  }

  static Status CheckLengths(const RecurrentF32Args& args) {
    for (int64_t b = 0; b < args.batch; ++b) {
      if (args.lengths[b] < 0 || args.lengths[b] > args.length) {
        return InvalidArgument(
            "a sequence of " + std::to_string(args.lengths[b]) +
            " steps in an input of " + std::to_string(args.length));
      }
    }
    return OkStatus();
  }

  Status Pack() {
    const int64_t h = layer_.args.hidden;
    const int64_t rows = layer_.gates * h;
    const int64_t input = layer_.w.dim(2);
    const int64_t w_floats = GemmF32PackedBytes(gemm_, rows, input) / 4;
    const int64_t r_floats =
        RecurrentF32PackedFloats(kernel_, layer_.args.kind, h);
    packed_.resize(static_cast<size_t>(3 * layer_.args.directions));
    for (int d = 0; d < layer_.args.directions; ++d) {
      Tensor* part = &packed_[static_cast<size_t>(3 * d)];
      STINT_ASSIGN_OR_RETURN(part[0],
                             Tensor::Allocate(DType::kFloat32, {w_floats}));
      STINT_ASSIGN_OR_RETURN(part[1],
                             Tensor::Allocate(DType::kFloat32, {r_floats}));
      STINT_ASSIGN_OR_RETURN(part[2],
                             Tensor::Allocate(DType::kFloat32, {rows + h}));
      const float* w = layer_.w.data<float>() + d * rows * input;
      GemmF32PackB(gemm_, {w, input, true}, rows, input, part[0].data<float>(),
                   nullptr);
      RecurrentF32Pack(kernel_, layer_.args.kind, h,
                       layer_.r.data<float>() + d * rows * h,
                       part[1].data<float>());
      JoinBiases(d, part[2].data<float>());
      SetWeights(d, part);
    }
    return OkStatus();
  }

  // Those of input and state; behind them, of a GRU whose reset comes after
  // the product, the state's own for the last gate.
  void JoinBiases(int d, float* joined) const {
    const int64_t h = layer_.args.hidden;
    const int64_t rows = layer_.gates * h;
    std::fill_n(joined, rows + h, 0.0f);
    if (layer_.bias.raw() == nullptr) return;
    const float* of_input = layer_.bias.data<float>() + d * 2 * rows;
    const float* of_state = of_input + rows;
    const bool linear = layer_.args.kind == RecurrentKind::kGruLinear;
    for (int64_t i = 0; i < rows; ++i) {
      const bool apart = linear && i >= 2 * h;
      joined[i] = of_input[i] + (apart ? 0 : of_state[i]);
      if (apart) joined[h + i] = of_state[i];
    }
  }

  void SetWeights(int d, Tensor* part) {
    RecurrentF32Weights& weights = layer_.args.weights[d];
    const int64_t h = layer_.args.hidden;
    weights.w = part[0].data<float>();
    weights.r = part[1].data<float>();
    weights.bias = part[2].data<float>();
    weights.state_bias = weights.bias + layer_.gates * h;
    if (layer_.peepholes.raw() != nullptr) {
      weights.peepholes = layer_.peepholes.data<float>() + d * 3 * h;
    }
  }

  Layer layer_;
  const RecurrentF32Kernel& kernel_;
  const GemmF32Kernel& gemm_;
  // By direction: the input's weights, the state's, biases.
  std::vector<Tensor> packed_;
};

// The functions of gates into `args`; false where one has no kernel.
template <typename Op>
bool ReadFunctions(const Op& op, RecurrentF32Args* args) {
  const auto read = ReadGateActivations(op.activations, op.activation_alpha,
                                        op.activation_beta,
                                        UsualActivations(op), args->directions);
  if (!read.ok()) return false;
  const size_t each = read->size() / static_cast<size_t>(args->directions);
  for (size_t i = 0; i < read->size(); ++i) {
    const auto function = FunctionOf((*read)[i]);
    if (!function) return false;
    args->weights[i / each].functions[i % each] = *function;
  }
  return true;
}

// Float32 but for the lengths of sequences, and weights that are constants.
bool Fits(const InferContext& ctx) {
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    if (!ctx.has(i)) continue;
    const bool lengths = i == 4;
    if (ctx.in(i).dtype != (lengths ? DType::kInt32 : DType::kFloat32)) {
      return false;
    }
    const bool weights = (i >= 1 && i <= 3) || i == 7;
    if (weights && ctx.constant(i) == nullptr) return false;
  }
  return ctx.Ranked({0});
}

template <typename Op>
NodeKernelPtr Make(const Op& op, const InferContext& ctx,
                   const KernelSite& site, RecurrentKind kind) {
  if (!Fits(ctx)) return nullptr;
  Layer layer;
  layer.w = *ctx.constant(1);
  layer.r = *ctx.constant(2);
  layer.layout = op.layout;
  layer.args.kind = kind;
  layer.args.hidden = layer.r.dim(2);
  layer.args.directions = static_cast<int>(layer.w.dim(0));
  layer.gates = layer.w.dim(1) / layer.args.hidden;
  layer.args.reverse = op.direction == "reverse";
  layer.args.clip = op.clip;
  if (layer.args.directions > 2 || !ReadFunctions(op, &layer.args)) {
    return nullptr;
  }
  if (ctx.has(3)) layer.bias = *ctx.constant(3);
  if (ctx.has(7)) layer.peepholes = *ctx.constant(7);
  if constexpr (std::is_same_v<Op, LSTM>) {
    layer.args.input_forget = op.input_forget != 0;
  }
  return std::make_unique<RecurrentKernel>(std::move(layer), site.isa);
}

}  // namespace

NodeKernelPtr Bind(const RNN& op, const InferContext& ctx,
                   const KernelSite& site) {
  return Make(op, ctx, site, RecurrentKind::kRnn);
}

NodeKernelPtr Bind(const GRU& op, const InferContext& ctx,
                   const KernelSite& site) {
  return Make(op, ctx, site,
              op.linear_before_reset != 0 ? RecurrentKind::kGruLinear
                                          : RecurrentKind::kGru);
}

NodeKernelPtr Bind(const LSTM& op, const InferContext& ctx,
                   const KernelSite& site) {
  return Make(op, ctx, site, RecurrentKind::kLstm);
}

}  // namespace stint
