#include "engine/lower/gate_weights.h"

#include <algorithm>
#include <set>

namespace stint {
namespace {

constexpr size_t kGate = 4;  // input of BlockedConv

// Weights are read and written once to be multiplied, the image twice.
bool WeightsAreSmaller(int64_t out_channels, int64_t pixels) {
  return 4 * out_channels <= 3 * pixels;
}

class WeightGater {
 public:
  explicit WeightGater(Graph* graph)
      : graph_(*graph), readers_(graph->num_values(), 0) {
    for (ValueId out : graph_.outputs()) ++readers_[out.index];
    for (NodeId id : graph_.order()) {
      for (ValueId in : graph_.node(id).inputs) {
        if (in.valid()) ++readers_[in.index];
      }
    }
  }

  void Run() {
    std::set<NodeId> replaced;
    for (NodeId id : graph_.order()) {
      const NodeId product = TakeGate(&graph_.node(id));
      if (product.valid()) replaced.insert(product);
    }
    graph_.RemoveNodes([&](NodeId id) { return replaced.contains(id); });
  }

 private:
  const Shape* BlockedDimsOf(ValueId value) const {
    const ValueType& type = graph_.value(value).type;
    return type.ranked && type.rank() == 5 ? &type.dims : nullptr;
  }
  bool IsPixelwise(const Node& node) const {
    const auto* conv = As<BlockedConv>(node.op);
    if (conv == nullptr || conv->group != 1 || node.inputs.size() > kGate) {
      return false;
    }
    const auto is = [](int64_t number) {
      return [number](int64_t other) { return other == number; };
    };
    const auto& w = graph_.value(node.inputs[1]).constant;
    return w && w->rank() == 4 && w->dim(2) == 1 && w->dim(3) == 1 &&
           std::all_of(conv->strides.begin(), conv->strides.end(), is(1)) &&
           std::all_of(conv->pads.begin(), conv->pads.end(), is(0));
  }
  // One number per channel for the image; both are blocked.
  bool IsGateOf(ValueId gate, ValueId image) const {
    const Shape* g = BlockedDimsOf(gate);
    const Shape* x = BlockedDimsOf(image);
    return g != nullptr && x != nullptr && (*g)[0] == (*x)[0] &&
           (*g)[1] == (*x)[1] && (*g)[2] == 1 && (*g)[3] == 1 &&
           (*g)[4] == (*x)[4] && IsKnown((*x)[2]) && IsKnown((*x)[3]);
  }

  // The product that the convolution no longer reads, if any.
  NodeId TakeGate(Node* node) {
    if (!IsPixelwise(*node)) return {};
    const ValueId x = node->inputs[0];
    const NodeId maker = graph_.value(x).producer;
    if (!maker.valid() || readers_[x.index] != 1) return {};
    const Node& product = graph_.node(maker);
    const auto* binary = As<Binary>(product.op);
    if (binary == nullptr || binary->kind != BinaryKind::kMul) return {};
    ValueId image = product.inputs[0];
    ValueId gate = product.inputs[1];
    if (!IsGateOf(gate, image)) std::swap(image, gate);
    if (!IsGateOf(gate, image)) return {};
    const Shape& dims = *BlockedDimsOf(image);
    const int64_t outs = graph_.value(node->inputs[1]).constant->dim(0);
    if (!WeightsAreSmaller(outs, dims[2] * dims[3])) return {};
    node->inputs.resize(kGate + 1, kNoValue);
    node->inputs[0] = image;
    node->inputs[kGate] = gate;
    return maker;
  }

  Graph& graph_;
  std::vector<int> readers_;  // by value
};

}  // namespace

Status GateWeights(const KernelSite& site, Graph* graph) {
  if (site.precision != Precision::kFloat32) return OkStatus();
  WeightGater(graph).Run();
  for (size_t i = 0; i < graph->num_subgraphs(); ++i) {
    STINT_RETURN_IF_ERROR(
        GateWeights(site, &graph->subgraph({static_cast<int32_t>(i)})));
  }
  return OkStatus();
}

}  // namespace stint
