#include "convert/compress/repair/layer_chain.h"

#include <algorithm>

namespace stint {
namespace {

class Placement {
 public:
  explicit Placement(const Graph& graph)
      : graph_(graph), chain_(graph), placed_(graph.num_nodes(), false) {
    const auto& order = graph.order();
    for (auto id = order.rbegin(); id != order.rend(); ++id) Place(*id);
  }
  std::vector<NodeId> Take() { return std::move(order_); }

 private:
  void Place(NodeId id) {
    if (placed_[static_cast<size_t>(id.index)]) return;
    placed_[static_cast<size_t>(id.index)] = true;
    const Node& node = graph_.node(id);
    std::vector<ValueId> inputs = node.inputs;
    if (IsSum(node) && !IsWeighted(inputs[0])) std::swap(inputs[0], inputs[1]);
    for (auto in = inputs.rbegin(); in != inputs.rend(); ++in) {
      if (!in->valid()) continue;
      const NodeId maker = graph_.value(*in).producer;
      if (maker.valid()) Place(maker);
    }
    order_.push_back(id);
  }

  bool IsWeighted(ValueId value) const {
    const NodeId maker = graph_.value(value).producer;
    if (!maker.valid()) return false;
    if (WeightsOf(graph_, maker)) return true;
    const Node& node = graph_.node(maker);
    if (!IsSum(node)) return false;
    return std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId in) {
      const NodeId layer = graph_.value(in).producer;
      const auto bias = layer.valid() ? chain_.BiasOf(layer) : std::nullopt;
      return bias && bias->sum == maker;
    });
  }

  const Graph& graph_;
  const LayerChain chain_;
  std::vector<bool> placed_;
  std::vector<NodeId> order_;
};

}  // namespace

bool IsSum(const Node& node) {
  const Binary* binary = As<Binary>(node.op);
  return binary != nullptr && binary->kind == BinaryKind::kAdd;
}

std::vector<NodeId> FitOrder(const Graph& graph) {
  return Placement(graph).Take();
}

LayerChain::LayerChain(const Graph& graph) : graph_(graph) {
  for (NodeId id : graph.order()) {
    for (ValueId in : graph.node(id).inputs) {
      if (in.valid()) readers_[in].push_back(id);
    }
  }
  for (ValueId out : graph.outputs()) readers_[out].push_back({});
}

const std::vector<NodeId>& LayerChain::Readers(ValueId value) const {
  static const std::vector<NodeId> kNone;
  const auto found = readers_.find(value);
  return found == readers_.end() ? kNone : found->second;
}

std::optional<LayerChain::BiasSum> LayerChain::BiasOf(NodeId layer) const {
  const Node& node = graph_.node(layer);
  if (BiasInput(node.op) >= 0) return std::nullopt;
  const auto matrix = WeightsOf(graph_, layer);
  const auto& readers = Readers(node.outputs[0]);
  if (!matrix || readers.size() != 1 || !readers[0].valid()) return {};
  const Node& sum = graph_.node(readers[0]);
  if (!IsSum(sum)) return std::nullopt;
  const ValueId bias = sum.inputs[sum.inputs[0] == node.outputs[0] ? 1 : 0];
  const auto& constant = graph_.value(bias).constant;
  if (!constant || constant->dtype() != DType::kFloat32 ||
      constant->rank() != 1 || constant->size() != matrix->outputs ||
      Readers(bias).size() != 1) {
    return std::nullopt;
  }
  return BiasSum{readers[0], bias};
}

std::optional<std::pair<NodeId, size_t>> LayerChain::SumOf(NodeId layer) const {
  const auto bias = BiasOf(layer);
  const NodeId last = bias ? bias->sum : layer;
  const ValueId out = graph_.node(last).outputs[0];
  const auto& readers = Readers(out);
  if (readers.size() != 1 || !readers[0].valid() ||
      !IsSum(graph_.node(readers[0]))) {
    return std::nullopt;
  }
  return std::pair(readers[0],
                   graph_.node(readers[0]).inputs[0] == out ? 1u : 0u);
}

}  // namespace stint
