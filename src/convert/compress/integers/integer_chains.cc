#include "convert/compress/integers/integer_chains.h"

#include <algorithm>
#include <map>
#include <vector>

#include "convert/compress/weight_matrix.h"

namespace stint {
namespace {

// Products per number that is coded or decoded, from which on a convolution
// pays for that: a conversion takes about 0.3 ns (Zen 4, one thread), and a
// product in integers saves 0.013.
constexpr double kProductsThatPay = 64;

class Chains {
 public:
  explicit Chains(const Graph& graph) : graph_(graph) {
    for (NodeId id : graph.order()) {
      for (ValueId in : graph.node(id).inputs) {
        if (in.valid()) readers_[in].push_back(id);
      }
    }
  }

  bool IsAlone(NodeId id, const std::set<NodeId>& convolutions) const {
    const Node& node = graph_.node(id);
    return !Reaches(node.inputs[0], id, convolutions, false) &&
           !Reaches(node.outputs[0], id, convolutions, true);
  }

 private:
  bool IsImage(ValueId value) const {
    return value.valid() && !graph_.value(value).constant;
  }

  // Computes on bytes what it gets as bytes.
  bool TakesBytes(const Node& node) const {
    const Binary* binary = As<Binary>(node.op);
    const bool joins =
        As<Concat>(node.op) != nullptr ||
        (binary != nullptr && (binary->kind == BinaryKind::kAdd ||
                               binary->kind == BinaryKind::kMul));
    if (joins) {
      return std::all_of(node.inputs.begin(), node.inputs.end(),
                         [&](ValueId in) { return IsImage(in); });
    }
    return IsFusedActivation(node.op) || As<LeakyRelu>(node.op) ||
           As<MaxPool>(node.op) || As<AveragePool>(node.op) ||
           As<Slice>(node.op) || As<Pad>(node.op);
  }

  // Another of the convolutions, from a value on, forward or backward.
  bool Reaches(ValueId start, NodeId self, const std::set<NodeId>& convolutions,
               bool forward) const {
    std::vector<ValueId> open = {start};
    std::set<ValueId> seen;
    while (!open.empty()) {
      const ValueId value = open.back();
      open.pop_back();
      if (!IsImage(value) || !seen.insert(value).second) continue;
      for (NodeId id : Neighbors(value, forward)) {
        const Node& node = graph_.node(id);
        const bool reads_image = !forward || node.inputs[0] == value;
        if (id != self && convolutions.count(id) > 0 && reads_image) {
          return true;
        }
        if (!TakesBytes(node)) continue;
        const auto& next = forward ? node.outputs : node.inputs;
        open.insert(open.end(), next.begin(), next.end());
      }
    }
    return false;
  }

  std::vector<NodeId> Neighbors(ValueId value, bool forward) const {
    if (forward) {
      const auto found = readers_.find(value);
      return found == readers_.end() ? std::vector<NodeId>() : found->second;
    }
    const NodeId maker = graph_.value(value).producer;
    return maker.valid() ? std::vector<NodeId>{maker} : std::vector<NodeId>();
  }

  const Graph& graph_;
  std::map<ValueId, std::vector<NodeId>> readers_;
};

// For each number of its images.
double ProductsPerNumber(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  const Conv& conv = *As<Conv>(node.op);
  const Tensor& w = *graph.value(node.inputs[1]).constant;
  int64_t pixels = 1;  // of the input, for one of the output
  for (int64_t stride : conv.strides) pixels *= stride;
  return static_cast<double>(w.size()) /
         static_cast<double>(w.dim(0) + w.dim(1) * conv.group * pixels);
}

}  // namespace

bool IsFusedActivation(const Op& op) {
  const Unary* unary = As<Unary>(op);
  const bool kind = unary != nullptr && (unary->kind == UnaryKind::kRelu ||
                                         unary->kind == UnaryKind::kHardSwish ||
                                         unary->kind == UnaryKind::kSigmoid ||
                                         unary->kind == UnaryKind::kTanh);
  return kind || As<Clip>(op) || As<HardSigmoid>(op) || As<Swish>(op) ||
         As<BatchNormalization>(op);
}

std::set<NodeId> FindConvolutions(const Graph& graph) {
  std::set<NodeId> found;
  for (NodeId id : graph.order()) {
    if (As<Conv>(graph.node(id).op) && WeightsOf(graph, id)) found.insert(id);
  }
  return found;
}

std::set<NodeId> WithoutLoneConvolutions(const Graph& graph,
                                         std::set<NodeId> convolutions) {
  const Chains chains(graph);
  // One that goes may leave another alone.
  while (std::erase_if(convolutions, [&](NodeId id) {
           return ProductsPerNumber(graph, id) < kProductsThatPay &&
                  chains.IsAlone(id, convolutions);
         }) > 0) {
  }
  return convolutions;
}

}  // namespace stint
