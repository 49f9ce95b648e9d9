#include "convert/passes/matcher.h"
#include "convert/passes/pass.h"
#include "convert/passes/product.h"

namespace stint {
namespace {

// gate is clamp(x + 3, 0, 6).
bool IsClippedLine(const Matcher& match, ValueId gate, ValueId x) {
  const Node* clip = match.Made<Clip>(gate);
  if (clip == nullptr || clip->inputs.size() != 3 ||
      match.Scalar(clip->inputs[1]) != 0.0f ||
      !match.IsScalar(clip->inputs[2], 6.0f)) {
    return false;
  }
  const Node* sum = match.MadeBy(BinaryKind::kAdd, clip->inputs[0]);
  return sum != nullptr && match.BesideScalar(*sum, 3.0f) == x;
}

// The op that scale * x * gate spells, if any.
std::optional<Op> SwishOf(const Matcher& match, double scale, ValueId x,
                          ValueId gate) {
  if (IsClose(scale, 1)) {
    const Node* sigmoid = match.MadeBy(UnaryKind::kSigmoid, gate);
    if (sigmoid != nullptr && sigmoid->inputs[0] == x) return Op(Swish{});
    const Node* hard = match.Made<HardSigmoid>(gate);
    if (hard != nullptr && hard->inputs[0] == x &&
        IsClose(As<HardSigmoid>(hard->op)->alpha, 1.0 / 6) &&
        IsClose(As<HardSigmoid>(hard->op)->beta, 0.5)) {
      return Op(Unary{UnaryKind::kHardSwish});
    }
  }
  if (IsClose(scale, 1.0 / 6) && IsClippedLine(match, gate, x)) {
    return Op(Unary{UnaryKind::kHardSwish});
  }
  return std::nullopt;
}

// `hard`: only those that ONNX has had an operator for since opset 14.
Result<int> Fuse(Graph* graph, bool hard) {
  const Matcher match(graph);
  int count = 0;
  for (NodeId id : graph->order()) {
    Node& node = graph->node(id);
    if (As<Binary>(node.op) == nullptr || !match.IsFloat32(node.outputs[0])) {
      continue;
    }
    const Product p = ProductOf(match, node.outputs[0]);
    if (p.factors.size() != 2) continue;
    for (size_t i = 0; i < 2; ++i) {
      const auto op = SwishOf(match, p.scale, p.factors[i], p.factors[1 - i]);
      if (!op || (hard && As<Swish>(*op) != nullptr)) continue;
      node.op = *op;
      node.inputs = {p.factors[i]};
      ++count;
      break;
    }
  }
  return count;
}

}  // namespace

// x * sigmoid(x), x * hard_sigmoid(x), x * clamp(x + 3, 0, 6) / 6.
Result<int> FuseSwish(Graph* graph) { return Fuse(graph, false); }

Result<int> FuseHardSwish(Graph* graph) { return Fuse(graph, true); }

}  // namespace stint
