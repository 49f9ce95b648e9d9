#include "model/graph/graph_bytes.h"

#include "core/base/heap_bytes.h"

namespace stint {
namespace {

int64_t HeapBytes(const GraphValue& value) {
  int64_t bytes =
      stint::HeapBytes(value.name) + stint::HeapBytes(value.type.dims);
  if (value.constant) bytes += stint::HeapBytes(value.constant->shape());
  return bytes;
}

int64_t HeapBytes(const Node& node) {
  return stint::HeapBytes(node.name) + stint::HeapBytes(node.inputs) +
         stint::HeapBytes(node.outputs);
}

bool IsWithin(const Tensor& tensor, std::span<const uint8_t> bytes) {
  const auto* data = static_cast<const uint8_t*>(tensor.raw());
  return data >= bytes.data() && data < bytes.data() + bytes.size();
}

}  // namespace

int64_t HeapBytes(const Graph& graph) {
  auto bytes =
      static_cast<int64_t>(graph.num_values() * sizeof(GraphValue) +
                           graph.num_nodes() * sizeof(Node) + sizeof(Graph));
  for (size_t i = 0; i < graph.num_values(); ++i) {
    bytes += HeapBytes(graph.value({static_cast<int32_t>(i)}));
  }
  for (size_t i = 0; i < graph.num_nodes(); ++i) {
    bytes += HeapBytes(graph.node({static_cast<int32_t>(i)}));
  }
  for (size_t i = 0; i < graph.num_subgraphs(); ++i) {
    bytes += HeapBytes(graph.subgraph({static_cast<int32_t>(i)}));
  }
  return bytes;
}

int64_t ConstantBytes(const Graph& graph, std::span<const uint8_t> file) {
  int64_t bytes = 0;
  for (size_t i = 0; i < graph.num_values(); ++i) {
    const auto& constant = graph.value({static_cast<int32_t>(i)}).constant;
    if (!constant || constant->raw() == nullptr || IsWithin(*constant, file)) {
      continue;
    }
    bytes += BlockBytes(constant->bytes());
  }
  for (size_t i = 0; i < graph.num_subgraphs(); ++i) {
    bytes += ConstantBytes(graph.subgraph({static_cast<int32_t>(i)}), file);
  }
  return bytes;
}

}  // namespace stint
