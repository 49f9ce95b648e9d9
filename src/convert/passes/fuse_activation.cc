#include <cmath>

#include "convert/passes/matcher.h"
#include "convert/passes/pass.h"

namespace stint {
namespace {

struct FoundActivation {
  std::string name = "none";
  float lo = -INFINITY;
  float hi = INFINITY;
};

std::optional<FoundActivation> OfUnary(const Unary& op) {
  switch (op.kind) {
    case UnaryKind::kRelu:
      return FoundActivation{.lo = 0};
    case UnaryKind::kSigmoid:
      return FoundActivation{.name = "sigmoid"};
    case UnaryKind::kTanh:
      return FoundActivation{.name = "tanh"};
    case UnaryKind::kHardSwish:
      return FoundActivation{.name = "hard_swish"};
    default:  // most functions are no activation
      return std::nullopt;
  }
}

std::optional<FoundActivation> OfClip(const Matcher& match, const Node& node) {
  FoundActivation found;
  const auto bound = [&](size_t i, float* value) {
    if (node.inputs.size() <= i || !node.inputs[i].valid()) return true;
    const auto scalar = match.Scalar(node.inputs[i]);
    if (!scalar || std::isnan(*scalar)) return false;
    *value = *scalar;
    return true;
  };
  if (!bound(1, &found.lo) || !bound(2, &found.hi) || found.lo > found.hi) {
    return std::nullopt;
  }
  return found;
}

std::optional<FoundActivation> ActivationOf(const Matcher& match,
                                            const Node& node) {
  if (const auto* unary = As<Unary>(node.op)) return OfUnary(*unary);
  if (As<Clip>(node.op) != nullptr) return OfClip(match, node);
  if (const auto* gelu = As<Gelu>(node.op)) {
    return FoundActivation{.name = gelu->approximate == "tanh" ? "gelu_tanh"
                                                               : "gelu"};
  }
  if (const auto* swish = As<Swish>(node.op); swish && swish->alpha == 1) {
    return FoundActivation{.name = "silu"};
  }
  const auto* hard = As<HardSigmoid>(node.op);
  if (hard != nullptr && IsClose(hard->alpha, 1.0 / 6) &&
      IsClose(hard->beta, 0.5)) {
    return FoundActivation{.name = "hard_sigmoid"};
  }
  return std::nullopt;
}

template <typename FusedOp>
bool Into(const Matcher& match, const FoundActivation& found, Node* node) {
  const Node* fused = match.MadeOnce<FusedOp>(node->inputs[0]);
  if (fused == nullptr) return false;
  FusedOp op = *As<FusedOp>(fused->op);
  if (op.activation != "none" || !std::isinf(op.lo) || !std::isinf(op.hi)) {
    return false;
  }
  op.activation = found.name;
  op.lo = found.lo;
  op.hi = found.hi;
  node->name = fused->name;
  node->op = std::move(op);
  node->inputs = fused->inputs;
  return true;
}

}  // namespace

// The function of one element that follows a convolution or linear layer.
Result<int> FuseActivation(Graph* graph) {
  const Matcher match(graph);
  int count = 0;
  for (NodeId id : graph->order()) {
    Node& node = graph->node(id);
    const auto found = ActivationOf(match, node);
    if (!found) continue;
    if (Into<FusedConv>(match, *found, &node) ||
        Into<FusedLinear>(match, *found, &node)) {
      ++count;
    }
  }
  return count;
}

}  // namespace stint
