#include "convert/compress/prune/remove_branches.h"

#include <algorithm>

namespace stint {
namespace {

bool IsRelu(const Graph& graph, NodeId id) {
  if (!id.valid()) return false;
  const Unary* unary = As<Unary>(graph.node(id).op);
  return unary != nullptr && unary->kind == UnaryKind::kRelu;
}

std::vector<NodeId> ReadersOf(const Graph& graph, ValueId value) {
  std::vector<NodeId> readers;
  for (NodeId id : graph.order()) {
    const auto& inputs = graph.node(id).inputs;
    if (std::find(inputs.begin(), inputs.end(), value) != inputs.end()) {
      readers.push_back(id);
    }
  }
  return readers;
}

void ReplaceReads(ValueId value, ValueId by, Graph* graph) {
  for (NodeId id : graph->order()) {
    auto& inputs = graph->node(id).inputs;
    std::replace(inputs.begin(), inputs.end(), value, by);
  }
  std::replace(graph->outputs().begin(), graph->outputs().end(), value, by);
}

// The sum that `value` ends in, and the place of the branch among its inputs.
std::optional<std::pair<NodeId, size_t>> FindSum(const Graph& graph,
                                                 ValueId value) {
  for (;;) {
    const auto readers = ReadersOf(graph, value);
    const auto& outputs = graph.outputs();
    if (readers.size() != 1 ||
        std::find(outputs.begin(), outputs.end(), value) != outputs.end()) {
      return std::nullopt;
    }
    const Node& node = graph.node(readers[0]);
    const Binary* binary = As<Binary>(node.op);
    if (binary != nullptr && binary->kind == BinaryKind::kAdd &&
        !graph.value(node.inputs[0]).constant &&
        !graph.value(node.inputs[1]).constant) {
      return std::pair(readers[0], node.inputs[0] == value ? 0u : 1u);
    }
    if (node.outputs.size() != 1) return std::nullopt;
    value = node.outputs[0];
  }
}

Status RemoveBranch(NodeId layer, Graph* graph) {
  const auto sum = FindSum(*graph, graph->node(layer).outputs[0]);
  const Status failed =
      Unsupported(Describe(graph->node(layer)) +
                  " is not in a branch that is added to something else");
  if (!sum) return failed;
  const Node& node = graph->node(sum->first);
  const ValueId other = node.inputs[1 - sum->second];
  const ValueId out = node.outputs[0];
  if (node.inputs[0] == node.inputs[1] ||
      graph->value(other).type.dims != graph->value(out).type.dims) {
    return failed;
  }
  // What is not negative stays as it is in another Relu.
  if (IsRelu(*graph, graph->value(other).producer)) {
    for (NodeId reader : ReadersOf(*graph, out)) {
      if (IsRelu(*graph, reader)) {
        ReplaceReads(graph->node(reader).outputs[0], other, graph);
      }
    }
  }
  ReplaceReads(out, other, graph);
  return OkStatus();
}

}  // namespace

std::optional<NodeId> SumOfBranch(const Graph& graph, NodeId layer) {
  const auto sum = FindSum(graph, graph.node(layer).outputs[0]);
  if (!sum) return std::nullopt;
  return sum->first;
}

Status RemoveBranches(const std::set<std::string>& layers, Graph* graph) {
  const std::vector<NodeId> order = graph->order();
  for (NodeId id : order) {
    if (layers.count(graph->node(id).name) > 0) {
      STINT_RETURN_IF_ERROR(RemoveBranch(id, graph));
    }
  }
  return OkStatus();
}

}  // namespace stint
