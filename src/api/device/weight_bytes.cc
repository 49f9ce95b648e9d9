#include "api/device/weight_bytes.h"

#include <algorithm>

#include "engine/bind/restore_weights.h"

namespace stint {
namespace {

// Weights of a node in their own form, and how much of that is there.
struct PlainWeights {
  int64_t bytes = 0;
  int64_t present = 0;
};
PlainWeights PlainOf(const Graph& graph, const Node& node) {
  PlainWeights plain;
  for (ValueId in : node.inputs) {
    if (!in.valid()) continue;
    const auto& constant = graph.value(in).constant;
    if (!constant) continue;
    const auto bytes = static_cast<int64_t>(constant->bytes());
    plain.bytes += bytes;
    if (constant->has_elements()) plain.present += bytes;
  }
  return plain;
}

// What a node's packed weights add to constants that are there, at least:
// nothing where a kernel can take those instead.
int64_t PackedBytes(const Graph& graph, const Node& node,
                    const PackedWeights& packed) {
  const PlainWeights plain = PlainOf(graph, node);
  if (plain.bytes > 0 && plain.present == plain.bytes) return 0;
  int64_t bytes = 0;
  for (const auto& part : packed.parts) {
    bytes += static_cast<int64_t>(part.bytes());
  }
  const int64_t missing = plain.bytes - plain.present;
  return CanUnpack(packed.layout) ? std::min(bytes, missing) : bytes;
}

}  // namespace

int64_t CountWeights(const Graph& graph) {
  int64_t count = 0;
  for (size_t i = 0; i < graph.num_values(); ++i) {
    const auto& constant = graph.value({static_cast<int32_t>(i)}).constant;
    if (constant && constant->rank() > 1) count += constant->size();
  }
  return count;
}

int64_t WeightBytes(const Package& package) {
  int64_t bytes = 0;
  const Graph& graph = *package.graph;
  for (size_t i = 0; i < graph.num_values(); ++i) {
    const auto& constant = graph.value({static_cast<int32_t>(i)}).constant;
    if (constant && constant->has_elements()) {
      bytes += static_cast<int64_t>(constant->bytes());
    }
  }
  for (NodeId id : graph.order()) {
    const auto it = package.packed.find(graph.node(id).name);
    if (it == package.packed.end()) continue;
    bytes += PackedBytes(graph, graph.node(id), it->second);
  }
  return bytes;
}

}  // namespace stint
