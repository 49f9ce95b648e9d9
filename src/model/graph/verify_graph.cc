#include "model/graph/graph.h"

namespace stint {
namespace {

// Reads every SubgraphId field of an op.
struct SubgraphFields {
  std::vector<SubgraphId> ids;
  void operator()(const char*, const SubgraphId& id) { ids.push_back(id); }
  template <typename T>
  void operator()(const char*, const T&) {}
};

Status VerifyNode(const Graph& graph, const Node& node,
                  std::vector<bool>* available) {
  const auto in_range = [&](ValueId id) {
    return id.index < static_cast<int32_t>(graph.num_values());
  };
  for (ValueId id : node.inputs) {
    if (!id.valid()) continue;
    if (!in_range(id)) return InternalError("input id out of range");
    if (!(*available)[id.index]) {
      return InternalError("reads '" + graph.value(id).name +
                           "' before it is produced");
    }
  }
  for (ValueId id : node.outputs) {
    if (!id.valid()) continue;
    if (!in_range(id)) return InternalError("output id out of range");
    if ((*available)[id.index]) {
      return InternalError("produces '" + graph.value(id).name + "' again");
    }
    (*available)[id.index] = true;
  }
  SubgraphFields fields;
  Visit([&](const auto& op) { std::decay_t<decltype(op)>::Fields(op, fields); },
        node.op);
  for (SubgraphId id : fields.ids) {
    if (id.index < 0 ||
        id.index >= static_cast<int32_t>(graph.num_subgraphs())) {
      return InternalError("subgraph id out of range");
    }
  }
  return OkStatus();
}

}  // namespace

Status VerifyGraph(const Graph& graph) {
  std::vector<bool> available(graph.num_values(), false);
  for (ValueId id : graph.inputs()) available[id.index] = true;
  for (size_t i = 0; i < graph.num_values(); ++i) {
    if (graph.value({static_cast<int32_t>(i)}).constant) available[i] = true;
  }
  for (NodeId id : graph.order()) {
    const Status status = VerifyNode(graph, graph.node(id), &available);
    if (!status.ok()) return status.Annotate(Describe(graph.node(id)));
  }
  for (ValueId id : graph.outputs()) {
    if (!id.valid() || !available[id.index]) {
      return InternalError("an output of the graph is not produced");
    }
  }
  for (size_t i = 0; i < graph.num_subgraphs(); ++i) {
    STINT_RETURN_IF_ERROR(
        VerifyGraph(graph.subgraph({static_cast<int32_t>(i)})));
  }
  return OkStatus();
}

}  // namespace stint
