#include "model/graph/graph.h"

namespace stint {
namespace {

std::string ValueName(const Graph& graph, ValueId id) {
  return id.valid() ? "%" + graph.value(id).name : "_";
}

std::string ListValues(const Graph& graph, const std::vector<ValueId>& ids,
                       bool with_types) {
  std::string text;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i > 0) text += ", ";
    text += ValueName(graph, ids[i]);
    if (with_types && ids[i].valid()) {
      text += ": " + ToString(graph.value(ids[i]).type, graph.symbols());
    }
  }
  return text;
}

void DumpInto(const Graph& graph, const std::string& indent,
              std::string* text) {
  *text += indent + "inputs " + ListValues(graph, graph.inputs(), true) + "\n";
  for (size_t i = 0; i < graph.num_values(); ++i) {
    const GraphValue& value = graph.value({static_cast<int32_t>(i)});
    if (!value.constant) continue;
    *text += indent + "constant %" + value.name + ": " +
             ToString(value.type, graph.symbols()) + "\n";
  }
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    const std::string fields = FieldsToString(node.op);
    *text += indent + ListValues(graph, node.outputs, true) + " = " +
             std::string(OpName(node.op)) +
             (fields.empty() ? "" : "{" + fields + "}") + "(" +
             ListValues(graph, node.inputs, false) + ")\n";
  }
  *text +=
      indent + "outputs " + ListValues(graph, graph.outputs(), false) + "\n";
  for (size_t i = 0; i < graph.num_subgraphs(); ++i) {
    *text += indent + "@" + std::to_string(i) + ":\n";
    DumpInto(graph.subgraph({static_cast<int32_t>(i)}), indent + "  ", text);
  }
}

}  // namespace

std::string DumpGraph(const Graph& graph) {
  std::string text;
  DumpInto(graph, "", &text);
  return text;
}

}  // namespace stint
