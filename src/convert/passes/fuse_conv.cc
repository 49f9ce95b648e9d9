#include "convert/passes/matcher.h"
#include "convert/passes/pass.h"

namespace stint {
namespace {

// Constants, or codes of them that a model in QDQ form turns back.
bool AreWeights(const Matcher& match, ValueId value) {
  if (match.Constant(value) != nullptr) return true;
  const Node* back = match.Made<DequantizeLinear>(value);
  return back != nullptr && match.Constant(back->inputs[0]) != nullptr &&
         match.Constant(back->inputs[1]) != nullptr;
}

}  // namespace

// Convolutions in float32 with constant weights: what follows them can then be
// part of them.
Result<int> FuseConv(Graph* graph) {
  const Matcher match(graph);
  int count = 0;
  for (NodeId id : graph->order()) {
    Node& node = graph->node(id);
    const Conv* conv = As<Conv>(node.op);
    if (conv == nullptr || !match.IsFloat32(node.inputs[0]) ||
        !AreWeights(match, node.inputs[1])) {
      continue;
    }
    FusedConv fused;
    static_cast<Conv&>(fused) = *conv;
    node.op = std::move(fused);
    ++count;
  }
  return count;
}

}  // namespace stint
