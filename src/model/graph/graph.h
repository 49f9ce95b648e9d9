#pragma once
// A model as values and nodes that refer to each other by id. The graph owns
// its subgraphs; a subgraph refers to nothing outside itself.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/ops/op.h"

namespace stint {

struct ValueId {
  int32_t index = -1;
  bool valid() const { return index >= 0; }
  auto operator<=>(const ValueId&) const = default;
};
// An optional input that is left out, or an output nobody wants.
inline constexpr ValueId kNoValue{};

struct NodeId {
  int32_t index = -1;
  bool valid() const { return index >= 0; }
  auto operator<=>(const NodeId&) const = default;
};

// Between which values the elements of a tensor lie.
struct ActivationRange {
  float lo = 0;  // <= 0
  float hi = 0;  // >= 0
};

// Something that flows: an input, a constant or the output of one node.
struct GraphValue {
  std::string name;
  ValueType type;
  NodeId producer;                 // invalid for inputs and constants
  std::optional<Tensor> constant;  // contents, for constants
  // What calibration measured, for images that may be coded in bytes.
  std::optional<ActivationRange> range = {};
};

struct Node {
  std::string name;
  Op op;
  std::vector<ValueId> inputs;   // kNoValue where left out
  std::vector<ValueId> outputs;  // kNoValue where not wanted
};

class Graph {
 public:
  Graph() = default;
  Graph(Graph&&) = default;
  Graph& operator=(Graph&&) = default;

  ValueId AddInput(std::string name, ValueType type);
  ValueId AddConstant(std::string name, Tensor tensor);
  // A value that the next AddNode call will produce.
  ValueId AddValue(std::string name, ValueType type = {});
  // Appends a node; `outputs` must not have a producer yet.
  NodeId AddNode(std::string name, Op op, std::vector<ValueId> inputs,
                 std::vector<ValueId> outputs);
  // Appends a node with one new output and returns that.
  ValueId Add(std::string name, Op op, std::vector<ValueId> inputs);
  void MarkOutput(ValueId value) { outputs_.push_back(value); }
  SubgraphId AddSubgraph(std::unique_ptr<Graph> graph);

  const std::vector<ValueId>& inputs() const { return inputs_; }
  const std::vector<ValueId>& outputs() const { return outputs_; }
  std::vector<ValueId>& outputs() { return outputs_; }
  // In execution order.
  const std::vector<NodeId>& order() const { return order_; }
  size_t num_values() const { return values_.size(); }

  const GraphValue& value(ValueId id) const { return values_[id.index]; }
  GraphValue& value(ValueId id) { return values_[id.index]; }
  const Node& node(NodeId id) const { return nodes_[id.index]; }
  Node& node(NodeId id) { return nodes_[id.index]; }
  const Graph& subgraph(SubgraphId id) const { return *subgraphs_[id.index]; }
  Graph& subgraph(SubgraphId id) { return *subgraphs_[id.index]; }
  size_t num_subgraphs() const { return subgraphs_.size(); }
  size_t num_nodes() const { return nodes_.size(); }

  // Turns a node's output into a constant; the node loses that output.
  void MakeConstant(ValueId value, Tensor tensor);
  // Takes nodes out of the order for which `dead` holds.
  void RemoveNodes(const std::function<bool(NodeId)>& dead);
  // For rebuilding the order: takes all nodes out of it, and puts one, whose
  // outputs still name it as their producer, at its end.
  void RemoveFromOrder() { order_.clear(); }
  void AppendToOrder(NodeId id) { order_.push_back(id); }
  // Puts the nodes into an order in which producers come first, keeping the
  // present order where possible. An error names a node on a cycle.
  Status SortNodes();

  // The symbol id for a dimension name, made on first use.
  int64_t Symbol(const std::string& name);
  const std::vector<std::string>& symbols() const { return symbols_; }

  // The same graph once more; constants share their memory.
  std::unique_ptr<Graph> Clone() const;

  std::string name;
  std::string doc;  // what the model file says of itself

 private:
  // Deques, so that references stay valid while a graph grows.
  std::deque<GraphValue> values_;
  std::deque<Node> nodes_;
  std::vector<NodeId> order_;
  std::vector<ValueId> inputs_;
  std::vector<ValueId> outputs_;
  std::vector<std::unique_ptr<Graph>> subgraphs_;
  std::vector<std::string> symbols_;
  std::map<std::string, int64_t> symbol_ids_;
};

// "node 'Conv_12' (Conv)", for messages.
std::string Describe(const Node& node);

// Infers the types of a node's outputs. Leaves them alone while the type of an
// input is not known at all.
Status InferNode(Graph* graph, NodeId id);

// Infers the types of every value in order, in subgraphs too. Errors name the
// node.
Status InferGraph(Graph* graph);

// Checks that the graph is well formed: ids in range, one producer per value,
// producers before readers, outputs produced, subgraph ids valid.
Status VerifyGraph(const Graph& graph);

// A readable listing of the graph and its subgraphs.
std::string DumpGraph(const Graph& graph);

}  // namespace stint
