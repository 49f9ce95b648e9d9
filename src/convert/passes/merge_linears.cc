#include "convert/passes/matcher.h"
#include "convert/passes/pass.h"

namespace stint {
namespace {

// A plain linear layer of 3-D input, read once by this attention.
const Node* Projection(const Matcher& match, const Graph& graph, ValueId value,
                       ValueId x) {
  const Node* node = match.MadeOnce<FusedLinear>(value);
  if (node == nullptr || node->inputs[0] != x || node->inputs[1].valid()) {
    return nullptr;
  }
  const auto& op = *As<FusedLinear>(node->op);
  return op == FusedLinear{.transB = op.transB} &&
                 graph.value(x).type.rank() == 3
             ? node
             : nullptr;
}

}  // namespace

// The projections of queries, keys and values by one product.
Result<int> MergeLinears(Graph* graph) {
  const Matcher match(graph);
  int count = 0;
  const std::vector<NodeId> order = graph->order();
  for (NodeId id : order) {
    Node& node = graph->node(id);
    if (As<FusedAttention>(node.op) == nullptr || !node.inputs[1].valid()) {
      continue;
    }
    const Node* first = match.MadeOnce<FusedLinear>(node.inputs[0]);
    if (first == nullptr) continue;
    const ValueId x = first->inputs[0];
    const FusedLinear op = *As<FusedLinear>(first->op);
    const std::string name = first->name;
    std::vector<ValueId> inputs = {x, kNoValue};
    int64_t columns = -1;
    bool fits = graph->value(x).type.ranked;
    for (size_t i = 0; i < 3 && fits; ++i) {
      const Node* part = Projection(match, *graph, node.inputs[i], x);
      fits = part != nullptr &&
             As<FusedLinear>(part->op)->transB == op.transB &&
             graph->value(node.inputs[i]).type.ranked;
      if (!fits) break;
      // All three have to be as wide, or heads would not line up.
      const int64_t wide = graph->value(node.inputs[i]).type.dims.back();
      fits = IsKnown(wide) && (columns < 0 || columns == wide);
      columns = wide;
      inputs.insert(inputs.end(),
                    part->inputs.begin() + FusedLinear::kFirstWeight,
                    part->inputs.end());
    }
    if (!fits) continue;
    const ValueId mask = node.inputs[FusedAttention::kMask];
    const ValueId merged = graph->Add(name + ".qkv", op, std::move(inputs));
    graph->node(id).inputs = {merged, kNoValue, kNoValue, mask};
    ++count;
  }
  return count;
}

}  // namespace stint
