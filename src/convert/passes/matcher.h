#pragma once
// Questions that passes ask about a graph.

#include <algorithm>
#include <optional>
#include <vector>

#include "model/graph/graph.h"

namespace stint {

// Equal as far as constants that were rounded to float can be.
bool IsClose(double a, double b);

// Counts readers when it is made: nodes that a pass has since cut off still
// count, so "the only reader" may be missed but never claimed wrongly.
class Matcher {
 public:
  explicit Matcher(Graph* graph);

  // How many inputs of nodes, and outputs of the graph, a value is.
  int readers(ValueId value) const { return readers_[value.index]; }

  // Whether any node's op is a T.
  template <typename T>
  bool Has() const {
    const auto& order = graph_->order();
    return std::any_of(order.begin(), order.end(), [&](NodeId id) {
      return As<T>(graph_->node(id).op) != nullptr;
    });
  }

  // The node that makes `value` if its op is a T, else null.
  template <typename T>
  Node* Made(ValueId value) const {
    if (!value.valid()) return nullptr;
    const NodeId producer = graph_->value(value).producer;
    if (!producer.valid()) return nullptr;
    Node& node = graph_->node(producer);
    return As<T>(node.op) != nullptr ? &node : nullptr;
  }
  // The same, if nothing but one reader sees any of its outputs.
  template <typename T>
  Node* MadeOnce(ValueId value) const {
    Node* node = Made<T>(value);
    return node != nullptr && ReadOnce(*node) ? node : nullptr;
  }
  // A binary node of that kind.
  Node* MadeBy(BinaryKind kind, ValueId value) const;
  Node* MadeBy(UnaryKind kind, ValueId value) const;
  Node* MadeOnceBy(BinaryKind kind, ValueId value) const;
  Node* MadeOnceBy(UnaryKind kind, ValueId value) const;

  // Contents of a constant, or null.
  const Tensor* Constant(ValueId value) const;
  // The one element of a float32 constant.
  std::optional<float> Scalar(ValueId value) const;
  bool IsScalar(ValueId value, float expected) const;
  // For a commutative node: the input beside the scalar constant that is
  // `expected`, else kNoValue.
  ValueId BesideScalar(const Node& node, float expected) const;

  bool IsFloat32(ValueId value) const;
  // Types are known in full, but for symbols, and equal.
  bool SameType(ValueId a, ValueId b) const;

 private:
  bool ReadOnce(const Node& node) const;

  Graph* graph_;
  std::vector<int> readers_;
};

}  // namespace stint
