#include "engine/elastic/importance/cut_graph.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "weights/shards/shard_catalog.h"

namespace stint {
namespace {

class GraphCutter {
 public:
  GraphCutter(const Graph& graph, const ShardLayout& layout)
      : graph_(graph.Clone()), layout_(layout) {
    for (NodeId id : graph_->order()) nodes_[graph_->node(id).name] = id;
  }

  Result<std::unique_ptr<Graph>> Run(const SubNetwork& network) {
    BypassReshapes();
    const std::vector<int> layers = TransformerLayers(layout_);
    for (size_t i = 0; i < layers.size(); ++i) {
      const ShardLayer& layer = layout_.layers[layers[i]];
      const bool kept = std::find(network.blocks.begin(), network.blocks.end(),
                                  static_cast<int>(i)) != network.blocks.end();
      if (!kept) {
        STINT_RETURN_IF_ERROR(Skip(layer));
      } else if (network.slices < layer.slices) {
        STINT_RETURN_IF_ERROR(Narrow(layer, network.slices));
      }
    }
    RemoveUnread();
    ForgetTypes();
    STINT_RETURN_IF_ERROR(InferGraph(graph_.get()));
    return std::move(graph_);
  }

 private:
  Result<NodeId> Find(const std::string& name) const {
    const auto it = nodes_.find(name);
    if (it == nodes_.end()) return Damaged("no node '" + name + "'");
    return it->second;
  }
  Status NotUnderstood(const std::string& node) const {
    return Unsupported("node '" + node + "': not the block of an encoder");
  }

  // The one node that reads the first output of `id`, or nothing.
  NodeId OnlyReader(NodeId id) const {
    const ValueId output = graph_->node(id).outputs[0];
    NodeId reader;
    for (NodeId other : graph_->order()) {
      for (ValueId in : graph_->node(other).inputs) {
        if (in != output) continue;
        if (reader.valid() && reader != other) return {};
        reader = other;
      }
    }
    return reader;
  }

  // Readers of the block's result read what goes into the block.
  Status Skip(const ShardLayer& layer) {
    if (layer.matrices.size() != 6) {
      return NotUnderstood(layer.matrices[0].node);
    }
    STINT_ASSIGN_OR_RETURN(const NodeId qkv, Find(layer.matrices[0].node));
    STINT_ASSIGN_OR_RETURN(const NodeId output, Find(layer.matrices[3].node));
    STINT_ASSIGN_OR_RETURN(NodeId last, Find(layer.matrices[5].node));
    const ValueId before = graph_->node(output).inputs[1];  // the residual
    if (!before.valid()) return NotUnderstood(layer.matrices[3].node);
    if (graph_->node(qkv).inputs[0] == before) {  // normalized after
      last = OnlyReader(last);
      if (!last.valid() ||
          As<LayerNormalization>(graph_->node(last).op) == nullptr) {
        return NotUnderstood(layer.matrices[5].node);
      }
    }
    Replace(graph_->node(last).outputs[0], before);
    return OkStatus();
  }

  void Replace(ValueId old, ValueId by) {
    for (NodeId id : graph_->order()) {
      for (ValueId& in : graph_->node(id).inputs) {
        if (in == old) in = by;
      }
    }
    for (ValueId& out : graph_->outputs()) {
      if (out == old) out = by;
    }
  }

  // Those that change nothing may still state a width.
  void BypassReshapes() {
    for (NodeId id : graph_->order()) {
      const Node& node = graph_->node(id);
      if (As<Reshape>(node.op) == nullptr) continue;
      const ValueType& from = graph_->value(node.inputs[0]).type;
      const ValueType& to = graph_->value(node.outputs[0]).type;
      if (from.ranked && from == to) Replace(node.outputs[0], node.inputs[0]);
    }
  }

  Status Narrow(const ShardLayer& layer, int slices) {
    NodeId qkv;
    for (size_t m = 0; m < layer.matrices.size(); ++m) {
      const ShardMatrix& matrix = layer.matrices[m];
      STINT_ASSIGN_OR_RETURN(const NodeId id, Find(matrix.node));
      STINT_RETURN_IF_ERROR(NarrowMatrix(matrix, slices, id));
      if (m == 0) qkv = id;
    }
    const NodeId attention = OnlyReader(qkv);
    auto* op = attention.valid()
                   ? As<FusedAttention>(&graph_->node(attention).op)
                   : nullptr;
    if (op == nullptr || op->heads * slices % layer.slices != 0) {
      return NotUnderstood(layer.matrices[0].node);
    }
    op->heads = op->heads * slices / layer.slices;
    return OkStatus();
  }

  Status NarrowMatrix(const ShardMatrix& matrix, int slices, NodeId id) {
    const int64_t bound = matrix.bounds[static_cast<size_t>(slices)];
    const bool by_outputs = matrix.cut == PlaneCut::kOutputs;
    const auto input = static_cast<size_t>(matrix.input);
    Node& node = graph_->node(id);
    const int64_t outputs = by_outputs ? bound : matrix.outputs;
    const int64_t inputs = by_outputs ? matrix.inputs : bound;
    const bool rows = matrix.order == WeightOrder::kRows;
    node.inputs[input] = graph_->AddConstant(
        graph_->value(node.inputs[input]).name,
        Tensor::Borrow(DType::kFloat32,
                       rows ? Shape{outputs, inputs} : Shape{inputs, outputs},
                       nullptr));
    if (!by_outputs || input + 1 >= node.inputs.size() ||
        !node.inputs[input + 1].valid()) {
      return OkStatus();
    }
    const GraphValue& bias = graph_->value(node.inputs[input + 1]);
    if (!bias.constant || !bias.constant->has_elements()) {
      return NotUnderstood(node.name);
    }
    STINT_ASSIGN_OR_RETURN(Tensor cut,
                           Tensor::Allocate(DType::kFloat32, {bound}));
    std::memcpy(cut.raw(), bias.constant->raw(), cut.bytes());
    node.inputs[input + 1] = graph_->AddConstant(bias.name, std::move(cut));
    return OkStatus();
  }

  // Nodes that no output depends on.
  void RemoveUnread() {
    std::vector<bool> read(graph_->num_values(), false);
    for (ValueId out : graph_->outputs()) read[out.index] = true;
    const std::vector<NodeId> order = graph_->order();
    std::vector<bool> dead(graph_->num_nodes(), false);
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      const Node& node = graph_->node(*it);
      dead[it->index] = std::none_of(
          node.outputs.begin(), node.outputs.end(),
          [&](ValueId out) { return out.valid() && read[out.index]; });
      if (dead[it->index]) continue;
      for (ValueId in : node.inputs) {
        if (in.valid()) read[in.index] = true;
      }
    }
    graph_->RemoveNodes([&](NodeId id) { return dead[id.index]; });
  }

  // Widths have changed.
  void ForgetTypes() {
    for (NodeId id : graph_->order()) {
      for (ValueId out : graph_->node(id).outputs) {
        if (out.valid()) graph_->value(out).type = {};
      }
    }
  }

  std::unique_ptr<Graph> graph_;
  const ShardLayout& layout_;
  std::map<std::string, NodeId, std::less<>> nodes_;
};

}  // namespace

Result<std::unique_ptr<Graph>> CutGraph(const Graph& graph,
                                        const ShardLayout& layout,
                                        const SubNetwork& network) {
  return GraphCutter(graph, layout).Run(network);
}

}  // namespace stint
