#include <cmath>

#include "convert/passes/matcher.h"
#include "convert/passes/pass.h"

namespace stint {
namespace {

template <typename FusedOp>
bool HasNoActivation(const FusedOp& op) {
  return op.activation == "none" && std::isinf(op.lo) && std::isinf(op.hi);
}

// The sum becomes the convolution `value` with the other addend inside.
bool IntoConv(const Matcher& match, ValueId value, ValueId other, Node* sum) {
  const Node* conv = match.MadeOnce<FusedConv>(value);
  if (conv == nullptr || !HasNoActivation(*As<FusedConv>(conv->op)) ||
      conv->inputs.size() > 3 || !match.SameType(value, other)) {
    return false;
  }
  sum->name = conv->name;
  sum->op = conv->op;
  sum->inputs = conv->inputs;
  sum->inputs.resize(3, kNoValue);
  sum->inputs.push_back(other);
  return true;
}

// Ranks and columns agree; other dimensions may still broadcast.
bool MayAdd(const Graph& graph, ValueId a, ValueId b) {
  const ValueType& x = graph.value(a).type;
  const ValueType& y = graph.value(b).type;
  return x.ranked && y.ranked && x.rank() == y.rank() && x.rank() > 0 &&
         IsKnown(x.dims.back()) && x.dims.back() == y.dims.back();
}

bool IntoLinear(const Matcher& match, const Graph& graph, ValueId value,
                ValueId other, Node* sum) {
  const Node* linear = match.MadeOnce<FusedLinear>(value);
  if (linear == nullptr || !HasNoActivation(*As<FusedLinear>(linear->op)) ||
      linear->inputs[1].valid() || !match.IsFloat32(other) ||
      match.Constant(other) != nullptr || !MayAdd(graph, value, other)) {
    return false;
  }
  sum->name = linear->name;
  sum->op = linear->op;
  sum->inputs = linear->inputs;
  sum->inputs[1] = other;
  return true;
}

}  // namespace

// The sum of a convolution or linear layer and something else.
Result<int> FuseResidual(Graph* graph) {
  const Matcher match(graph);
  int count = 0;
  for (NodeId id : graph->order()) {
    Node& node = graph->node(id);
    const Binary* add = As<Binary>(node.op);
    if (add == nullptr || add->kind != BinaryKind::kAdd) continue;
    const ValueId a = node.inputs[0];
    const ValueId b = node.inputs[1];
    if (a == b) continue;
    if (IntoConv(match, a, b, &node) || IntoConv(match, b, a, &node) ||
        IntoLinear(match, *graph, a, b, &node) ||
        IntoLinear(match, *graph, b, a, &node)) {
      ++count;
    }
  }
  return count;
}

}  // namespace stint
