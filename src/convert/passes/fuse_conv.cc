#include "convert/passes/matcher.h"
#include "convert/passes/pass.h"

namespace stint {

// Convolutions in float32 with constant weights: what follows them can then be
// part of them.
Result<int> FuseConv(Graph* graph) {
  const Matcher match(graph);
  int count = 0;
  for (NodeId id : graph->order()) {
    Node& node = graph->node(id);
    const Conv* conv = As<Conv>(node.op);
    if (conv == nullptr || !match.IsFloat32(node.inputs[0]) ||
        match.Constant(node.inputs[1]) == nullptr) {
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
