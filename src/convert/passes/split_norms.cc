#include "convert/passes/split_norms.h"

namespace stint {

Status SplitNorms(Graph* graph) {
  const std::vector<NodeId> order = graph->order();
  bool changed = false;
  for (NodeId id : order) {
    const Node whole = graph->node(id);
    const auto* op = As<FusedLinearNorm>(whole.op);
    if (op == nullptr) continue;
    const auto scale = whole.inputs.begin() + FusedLinearNorm::kScale;
    const ValueId product =
        graph->Add(whole.name, static_cast<const FusedLinear&>(*op),
                   {whole.inputs.begin(), scale});
    Node& node = graph->node(id);
    node.name = whole.name + ".norm";
    LayerNormalization norm;
    norm.epsilon = op->epsilon;
    node.op = norm;
    node.inputs = {product};
    node.inputs.insert(node.inputs.end(), scale, whole.inputs.end());
    changed = true;
  }
  if (!changed) return OkStatus();
  STINT_RETURN_IF_ERROR(graph->SortNodes());
  return InferGraph(graph);
}

}  // namespace stint
