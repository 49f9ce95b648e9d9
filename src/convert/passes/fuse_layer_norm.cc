#include "convert/passes/matcher.h"
#include "convert/passes/pass.h"

namespace stint {
namespace {

// A mean over the last dimension that keeps it; its input, or kNoValue.
ValueId MeanOfRows(const Matcher& match, const Graph& graph, ValueId value) {
  const Node* mean = match.Made<Reduce>(value);
  if (mean == nullptr || mean->inputs.size() != 2) return kNoValue;
  const Reduce& op = *As<Reduce>(mean->op);
  const Tensor* axes = match.Constant(mean->inputs[1]);
  const ValueType& type = graph.value(mean->inputs[0]).type;
  if (op.kind != ReduceKind::kMean || op.keepdims != 1 || axes == nullptr ||
      axes->size() != 1 || !type.ranked) {
    return kNoValue;
  }
  const int64_t axis = IntsOf(*axes)[0];
  return axis == -1 || axis == type.rank() - 1 ? mean->inputs[0] : kNoValue;
}

// The value whose square this is, or kNoValue.
ValueId SquareRoot(const Matcher& match, ValueId value) {
  if (const Node* power = match.MadeBy(BinaryKind::kPow, value)) {
    return match.IsScalar(power->inputs[1], 2.0f) ? power->inputs[0] : kNoValue;
  }
  const Node* mul = match.MadeBy(BinaryKind::kMul, value);
  return mul != nullptr && mul->inputs[0] == mul->inputs[1] ? mul->inputs[0]
                                                            : kNoValue;
}

// A constant vector as long as the rows of x.
bool IsRowConstant(const Matcher& match, const Graph& graph, ValueId value,
                   ValueId x) {
  const Tensor* tensor = match.Constant(value);
  const ValueType& type = graph.value(x).type;
  return tensor != nullptr && tensor->rank() == 1 && type.ranked &&
         type.rank() >= 1 && tensor->dim(0) == type.dims.back();
}

struct Normalized {
  ValueId x;
  float epsilon = 0;
};

// value is (x - mean) / sqrt(variance + epsilon).
std::optional<Normalized> NormalizedBy(const Matcher& match, const Graph& graph,
                                       ValueId value) {
  const Node* div = match.MadeOnceBy(BinaryKind::kDiv, value);
  if (div == nullptr) return std::nullopt;
  const Node* sub = match.MadeBy(BinaryKind::kSub, div->inputs[0]);
  const Node* root = match.MadeBy(UnaryKind::kSqrt, div->inputs[1]);
  if (sub == nullptr || root == nullptr) return std::nullopt;
  const ValueId x = sub->inputs[0];
  if (MeanOfRows(match, graph, sub->inputs[1]) != x) return std::nullopt;
  const Node* sum = match.MadeBy(BinaryKind::kAdd, root->inputs[0]);
  if (sum == nullptr) return std::nullopt;
  for (size_t i = 0; i < 2; ++i) {
    const auto epsilon = match.Scalar(sum->inputs[i]);
    if (!epsilon) continue;
    const ValueId square = MeanOfRows(match, graph, sum->inputs[1 - i]);
    if (SquareRoot(match, square) == div->inputs[0]) {
      return Normalized{x, *epsilon};
    }
  }
  return std::nullopt;
}

}  // namespace

// (x - mean) / sqrt(variance + epsilon) * scale + bias over the last dimension.
Result<int> FuseLayerNorm(Graph* graph) {
  const Matcher match(graph);
  int count = 0;
  for (NodeId id : graph->order()) {
    Node& node = graph->node(id);
    const Binary* add = As<Binary>(node.op);
    if (add == nullptr || add->kind != BinaryKind::kAdd ||
        !match.IsFloat32(node.outputs[0])) {
      continue;
    }
    for (size_t i = 0; i < 2; ++i) {
      const Node* mul = match.MadeOnceBy(BinaryKind::kMul, node.inputs[i]);
      if (mul == nullptr) continue;
      const ValueId bias = node.inputs[1 - i];
      for (size_t j = 0; j < 2; ++j) {
        const auto found = NormalizedBy(match, *graph, mul->inputs[j]);
        const ValueId scale = mul->inputs[1 - j];
        if (!found || !IsRowConstant(match, *graph, scale, found->x) ||
            !IsRowConstant(match, *graph, bias, found->x)) {
          continue;
        }
        LayerNormalization norm;
        norm.epsilon = found->epsilon;
        node.op = norm;
        node.inputs = {found->x, scale, bias};
        ++count;
      }
      if (As<LayerNormalization>(node.op) != nullptr) break;
    }
  }
  return count;
}

}  // namespace stint
