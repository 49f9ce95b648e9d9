// Optimizers of ai.onnx.preview.training and small operators of ai.onnx.ml,
// made of elementwise ones.

#include "convert/onnx/adapters.h"

namespace stint::onnx {
namespace {

// Arithmetic on values of a node; numbers are float32.
struct Arithmetic {
  NodeImport& n;

  ValueId Number(float x) { return n.Constant(Tensor::Scalar(x)); }
  ValueId Apply(BinaryKind kind, ValueId a, ValueId b) {
    return n.Emit(Binary{kind}, {a, b});
  }
  ValueId Add(ValueId a, ValueId b) { return Apply(BinaryKind::kAdd, a, b); }
  ValueId Sub(ValueId a, ValueId b) { return Apply(BinaryKind::kSub, a, b); }
  ValueId Mul(ValueId a, ValueId b) { return Apply(BinaryKind::kMul, a, b); }
  ValueId Div(ValueId a, ValueId b) { return Apply(BinaryKind::kDiv, a, b); }
  ValueId Times(float x, ValueId a) { return Mul(Number(x), a); }
  ValueId Sqrt(ValueId a) { return n.Emit(Unary{UnaryKind::kSqrt}, {a}); }
  // The step count as a number.
  ValueId Steps() { return n.Emit(Cast{DType::kFloat32}, {n.in(1)}); }
  // `later` after the first step, `first` at it.
  ValueId AfterFirst(ValueId steps, ValueId later, ValueId first) {
    const ValueId after = Apply(BinaryKind::kGreater, steps, Number(0));
    return n.Emit(Where{}, {after, later, first});
  }
};

// Inputs rate, steps, then `groups` groups of tensors, all float32.
// Returns how many tensors a group has.
Result<size_t> TensorsPerGroup(NodeImport& n, size_t groups) {
  STINT_RETURN_IF_ERROR(n.RequireInputs(n.inputs.size()));
  if (n.inputs.size() < 2 + groups || (n.inputs.size() - 2) % groups != 0) {
    return Damaged(std::to_string(n.inputs.size()) +
                   " inputs do not divide into groups");
  }
  for (size_t i = 2; i < n.inputs.size(); ++i) {
    const ValueType& type = n.graph()->value(n.in(i)).type;
    if (!type.typed || type.dtype != DType::kFloat32) {
      return Unsupported("tensors that are not float32");
    }
  }
  return (n.inputs.size() - 2) / groups;
}

// Inputs x, gradients, accumulated squares of gradients.
Status Adagrad(NodeImport& n) {
  STINT_ASSIGN_OR_RETURN(const size_t count, TensorsPerGroup(n, 3));
  const float decay = n.Float("decay_factor", 0);
  const float epsilon = n.Float("epsilon", 1e-6f);
  const float norm = n.Float("norm_coefficient", 0);
  STINT_RETURN_IF_ERROR(n.CheckAllAttributesRead());
  Arithmetic m{n};
  const ValueId slowing = m.Add(m.Number(1), m.Times(decay, m.Steps()));
  const ValueId rate = m.Div(n.in(0), slowing);
  for (size_t i = 0; i < count; ++i) {
    const ValueId x = n.in(2 + i);
    const ValueId g = m.Add(m.Times(norm, x), n.in(2 + count + i));
    const ValueId h = m.Add(n.in(2 + 2 * count + i), m.Mul(g, g));
    const ValueId root = m.Add(m.Sqrt(h), m.Number(epsilon));
    n.Forward(m.Sub(x, m.Div(m.Mul(rate, g), root)), i);
    n.Forward(h, count + i);
  }
  return OkStatus();
}

// Inputs x, gradients, momentums.
Status Momentum(NodeImport& n) {
  STINT_ASSIGN_OR_RETURN(const size_t count, TensorsPerGroup(n, 3));
  const float alpha = n.Float("alpha", 0);
  const float beta = n.Float("beta", 0);
  const float norm = n.Float("norm_coefficient", 0);
  const std::string mode = n.String("mode", "");
  STINT_RETURN_IF_ERROR(n.CheckAllAttributesRead());
  if (mode != "standard" && mode != "nesterov") {
    return Unsupported("mode '" + mode + "'");
  }
  Arithmetic m{n};
  const ValueId factor = m.AfterFirst(m.Steps(), m.Number(beta), m.Number(1));
  for (size_t i = 0; i < count; ++i) {
    const ValueId x = n.in(2 + i);
    const ValueId g = m.Add(m.Times(norm, x), n.in(2 + count + i));
    const ValueId v =
        m.Add(m.Times(alpha, n.in(2 + 2 * count + i)), m.Mul(factor, g));
    const ValueId step = mode == "standard" ? v : m.Add(g, m.Times(alpha, v));
    n.Forward(m.Sub(x, m.Mul(n.in(0), step)), i);
    n.Forward(v, count + i);
  }
  return OkStatus();
}

// The learning rate with the bias of both momentums taken out.
ValueId AdamRate(Arithmetic& m, float alpha, float beta) {
  const ValueId steps = m.Steps();
  const auto rest = [&](float x) {
    const ValueId power = m.Apply(BinaryKind::kPow, m.Number(x), steps);
    return m.Sub(m.Number(1), power);
  };
  const ValueId rate = m.n.in(0);
  const ValueId scaled = m.Mul(rate, m.Sqrt(rest(beta)));
  return m.AfterFirst(steps, m.Div(scaled, rest(alpha)), rate);
}

// Inputs x, gradients, momentums, momentums of squares.
Status Adam(NodeImport& n) {
  STINT_ASSIGN_OR_RETURN(const size_t count, TensorsPerGroup(n, 4));
  const float alpha = n.Float("alpha", 0.9f);
  const float beta = n.Float("beta", 0.999f);
  const float epsilon = n.Float("epsilon", 1e-6f);
  const float norm = n.Float("norm_coefficient", 0);
  const float norm_post = n.Float("norm_coefficient_post", 0);
  STINT_RETURN_IF_ERROR(n.CheckAllAttributesRead());
  Arithmetic m{n};
  const ValueId rate = AdamRate(m, alpha, beta);
  for (size_t i = 0; i < count; ++i) {
    const ValueId x = n.in(2 + i);
    const ValueId g = m.Add(m.Times(norm, x), n.in(2 + count + i));
    const ValueId v =
        m.Add(m.Times(alpha, n.in(2 + 2 * count + i)), m.Times(1 - alpha, g));
    const ValueId h = m.Add(m.Times(beta, n.in(2 + 3 * count + i)),
                            m.Times(1 - beta, m.Mul(g, g)));
    const ValueId root = m.Add(m.Sqrt(h), m.Number(epsilon));
    const ValueId moved = m.Sub(x, m.Mul(rate, m.Div(v, root)));
    n.Forward(m.Times(1 - norm_post, moved), i);
    n.Forward(v, count + i);
    n.Forward(h, 2 * count + i);
  }
  return OkStatus();
}

// 1 where x > threshold, else 0.
Status Binarizer(NodeImport& n) {
  STINT_RETURN_IF_ERROR(n.RequireInputs(1));
  const float threshold = n.Float("threshold", 0);
  STINT_RETURN_IF_ERROR(n.CheckAllAttributesRead());
  const ValueId limit =
      n.Emit(CastLike{}, {n.Constant(Tensor::Scalar(threshold)), n.in(0)});
  const ValueId above = n.Emit(Binary{BinaryKind::kGreater}, {n.in(0), limit});
  n.EmitLast(CastLike{}, {above, n.in(0)});
  return OkStatus();
}

// Elements of the last dimension; a vector counts as one row.
Status ArrayFeatureExtractor(NodeImport& n) {
  STINT_RETURN_IF_ERROR(n.RequireInputs(2));
  STINT_RETURN_IF_ERROR(n.CheckAllAttributesRead());
  // A copy: new values may move the graph's.
  const ValueType type = n.graph()->value(n.in(0)).type;
  if (!type.ranked) return Unsupported("an input of unknown rank");
  const ValueId indices = n.Emit(Reshape{}, {n.in(1), n.ConstantInts({-1})});
  if (type.rank() > 1) {
    n.EmitLast(Gather{-1}, {n.in(0), indices});
    return OkStatus();
  }
  const ValueId picked = n.Emit(Gather{-1}, {n.in(0), indices});
  n.EmitLast(Unsqueeze{}, {picked, n.ConstantInts({0})});
  return OkStatus();
}

constexpr std::string_view kTraining = "ai.onnx.preview.training";
constexpr AdapterRow kRows[] = {
    {kTraining, "Adagrad", 1, kAnyVersion, Adagrad},
    {kTraining, "Adam", 1, kAnyVersion, Adam},
    {kTraining, "Momentum", 1, kAnyVersion, Momentum},
    {"ai.onnx.ml", "Binarizer", 1, kAnyVersion, Binarizer},
    {"ai.onnx.ml", "ArrayFeatureExtractor", 1, kAnyVersion,
     ArrayFeatureExtractor},
};

}  // namespace

std::span<const AdapterRow> TrainingAdapters() { return kRows; }

}  // namespace stint::onnx
