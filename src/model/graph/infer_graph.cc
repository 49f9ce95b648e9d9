#include "model/graph/graph.h"

namespace stint {
namespace {

// Keeps what an importer declared where the rule knows less.
void Refine(ValueType* known, const ValueType& inferred) {
  if (!inferred.typed) return;
  if (!known->typed) {
    *known = inferred;
    return;
  }
  known->kind = inferred.kind;
  known->dtype = inferred.dtype;
  if (!inferred.ranked) return;
  if (!known->ranked || known->dims.size() != inferred.dims.size()) {
    known->ranked = true;
    known->dims = inferred.dims;
    return;
  }
  for (size_t i = 0; i < inferred.dims.size(); ++i) {
    if (inferred.dims[i] != kUnknownDim) known->dims[i] = inferred.dims[i];
  }
}

Status InferOutputs(Graph* graph, const Node& node) {
  std::vector<InferContext::Input> inputs;
  for (ValueId id : node.inputs) {
    if (!id.valid()) {
      inputs.push_back({});
      continue;
    }
    const GraphValue& value = graph->value(id);
    // Rules may not look at an input whose type nobody knows yet.
    if (!value.type.typed) return OkStatus();
    inputs.push_back(
        {&value.type, value.constant ? &*value.constant : nullptr});
  }
  InferContext ctx(std::move(inputs), static_cast<int>(node.outputs.size()));
  STINT_RETURN_IF_ERROR(InferTypes(node.op, ctx));
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].valid()) {
      Refine(&graph->value(node.outputs[i]).type, ctx.outputs()[i]);
    }
  }
  return OkStatus();
}

}  // namespace

Status InferNode(Graph* graph, NodeId id) {
  const Node& node = graph->node(id);
  const Status status = InferOutputs(graph, node);
  return status.ok() ? status : status.Annotate(Describe(node));
}

Status InferGraph(Graph* graph) {
  for (NodeId id : graph->order()) {
    STINT_RETURN_IF_ERROR(InferNode(graph, id));
  }
  for (size_t i = 0; i < graph->num_subgraphs(); ++i) {
    STINT_RETURN_IF_ERROR(
        InferGraph(&graph->subgraph({static_cast<int32_t>(i)})));
  }
  return OkStatus();
}

}  // namespace stint
