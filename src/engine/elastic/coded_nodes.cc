#include "engine/elastic/coded_nodes.h"

#include "kernels/gemm_s8/gemm_s8.h"

namespace stint {
namespace {

// A convolution of one group and at most two axes, whose weights are the
// matrix.
bool IsCodedConv(const Graph& graph, const Node& node,
                 const ShardMatrix& matrix) {
  const FusedConv& op = *As<FusedConv>(node.op);
  const ValueType& x = graph.value(node.inputs[0]).type;
  const bool has_bias = node.inputs.size() > 2 && node.inputs[2].valid();
  return op.group == 1 && matrix.input == 1 && x.ranked &&
         (x.rank() == 3 || x.rank() == 4) && x.dtype == DType::kFloat32 &&
         (!has_bias || graph.value(node.inputs[2]).constant);
}

// All of the node's weights are the matrices, in order.
bool IsCodedLinear(const Node& node, const LayerNode& coded,
                   const ShardLayer& layer) {
  size_t next = 0;
  for (size_t i = FusedLinear::kFirstWeight; i < node.inputs.size(); i += 2) {
    if (next == coded.matrices.size()) return false;
    const auto m = static_cast<size_t>(coded.matrices[next++]);
    if (layer.matrices[m].input != static_cast<int>(i)) return false;
  }
  return next == coded.matrices.size();
}

// There is a kernel that computes the node on codes.
bool IsCoded(const Graph& graph, const Node& node, const LayerNode& coded,
             const ShardLayer& layer) {
  for (int m : coded.matrices) {
    if (layer.matrices[static_cast<size_t>(m)].inputs > kGemmS8MaxK) {
      return false;
    }
  }
  if (As<FusedConv>(node.op) != nullptr) {
    return coded.matrices.size() == 1 &&
           IsCodedConv(graph, node,
                       layer.matrices[static_cast<size_t>(coded.matrices[0])]);
  }
  return As<FusedLinear>(node.op) != nullptr &&
         IsCodedLinear(node, coded, layer);
}

}  // namespace

std::map<std::string, LayerNode> NodesOf(const ShardLayout& layout) {
  std::map<std::string, LayerNode> nodes;
  for (size_t l = 0; l < layout.layers.size(); ++l) {
    const auto& matrices = layout.layers[l].matrices;
    for (size_t m = 0; m < matrices.size(); ++m) {
      LayerNode& node = nodes[matrices[m].node];
      node.layer = static_cast<int>(l);
      node.matrices.push_back(static_cast<int>(m));
    }
  }
  return nodes;
}

std::vector<NodeId> CodedNodes(const ShardLayout& layout, const Graph& graph,
                               const std::map<std::string, LayerNode>& nodes) {
  std::vector<NodeId> coded;
  std::vector<size_t> found(layout.layers.size(), 0);
  for (NodeId id : graph.order()) {
    const auto it = nodes.find(graph.node(id).name);
    if (it == nodes.end()) continue;
    const auto layer = static_cast<size_t>(it->second.layer);
    if (!IsCoded(graph, graph.node(id), it->second, layout.layers[layer])) {
      continue;
    }
    coded.push_back(id);
    found[layer] += it->second.matrices.size();
  }
  std::erase_if(coded, [&](NodeId id) {
    const auto l =
        static_cast<size_t>(nodes.find(graph.node(id).name)->second.layer);
    return layout.layers[l].kind == LayerKind::kTransformer &&
           found[l] != layout.layers[l].matrices.size();
  });
  return coded;
}

}  // namespace stint
