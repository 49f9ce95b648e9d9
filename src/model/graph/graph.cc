#include "model/graph/graph.h"

#include <algorithm>
#include <queue>

#include "core/base/check.h"

namespace stint {

ValueId Graph::AddValue(std::string value_name, ValueType type) {
  values_.push_back({std::move(value_name), std::move(type), {}, {}});
  return ValueId{static_cast<int32_t>(values_.size()) - 1};
}

ValueId Graph::AddInput(std::string value_name, ValueType type) {
  const ValueId id = AddValue(std::move(value_name), std::move(type));
  inputs_.push_back(id);
  return id;
}

ValueId Graph::AddConstant(std::string value_name, Tensor tensor) {
  const ValueId id = AddValue(std::move(value_name), ValueType::Of(tensor));
  values_[id.index].constant = std::move(tensor);
  return id;
}

NodeId Graph::AddNode(std::string node_name, Op op, std::vector<ValueId> inputs,
                      std::vector<ValueId> outputs) {
  const NodeId id{static_cast<int32_t>(nodes_.size())};
  for (ValueId output : outputs) {
    if (!output.valid()) continue;
    STINT_CHECK(!values_[output.index].producer.valid());
    values_[output.index].producer = id;
  }
  nodes_.push_back({std::move(node_name), std::move(op), std::move(inputs),
                    std::move(outputs)});
  order_.push_back(id);
  return id;
}

ValueId Graph::Add(std::string node_name, Op op, std::vector<ValueId> inputs) {
  const ValueId output = AddValue(node_name);
  AddNode(std::move(node_name), std::move(op), std::move(inputs), {output});
  return output;
}

SubgraphId Graph::AddSubgraph(std::unique_ptr<Graph> graph) {
  subgraphs_.push_back(std::move(graph));
  return SubgraphId{static_cast<int32_t>(subgraphs_.size()) - 1};
}

void Graph::MakeConstant(ValueId id, Tensor tensor) {
  GraphValue& value = values_[id.index];
  if (value.producer.valid()) {
    std::vector<ValueId>& outputs = nodes_[value.producer.index].outputs;
    std::replace(outputs.begin(), outputs.end(), id, kNoValue);
    value.producer = NodeId{};
  }
  value.type = ValueType::Of(tensor);
  value.constant = std::move(tensor);
}

void Graph::RemoveNodes(const std::function<bool(NodeId)>& dead) {
  std::erase_if(order_, [&](NodeId id) {
    if (!dead(id)) return false;
    for (ValueId output : nodes_[id.index].outputs) {
      if (output.valid()) values_[output.index].producer = NodeId{};
    }
    return true;
  });
}

std::unique_ptr<Graph> Graph::Clone() const {
  auto copy = std::make_unique<Graph>();
  copy->values_ = values_;
  copy->nodes_ = nodes_;
  copy->order_ = order_;
  copy->inputs_ = inputs_;
  copy->outputs_ = outputs_;
  for (const auto& subgraph : subgraphs_) {
    copy->subgraphs_.push_back(subgraph->Clone());
  }
  copy->symbols_ = symbols_;
  copy->symbol_ids_ = symbol_ids_;
  copy->name = name;
  copy->doc = doc;
  return copy;
}

Status Graph::SortNodes() {
  std::vector<int> waiting(nodes_.size(), 0);
  std::vector<std::vector<NodeId>> readers(nodes_.size());
  for (NodeId id : order_) {
    for (ValueId input : node(id).inputs) {
      if (!input.valid() || !value(input).producer.valid()) continue;
      readers[value(input).producer.index].push_back(id);
      ++waiting[id.index];
    }
  }
  // Smallest position first keeps the given order where it is already right.
  std::vector<size_t> position(nodes_.size(), 0);
  for (size_t i = 0; i < order_.size(); ++i) position[order_[i].index] = i;
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (NodeId id : order_) {
    if (waiting[id.index] == 0) ready.push(position[id.index]);
  }
  std::vector<NodeId> sorted;
  while (!ready.empty()) {
    const NodeId id = order_[ready.top()];
    ready.pop();
    sorted.push_back(id);
    for (NodeId reader : readers[id.index]) {
      if (--waiting[reader.index] == 0) ready.push(position[reader.index]);
    }
  }
  if (sorted.size() != order_.size()) {
    for (NodeId id : order_) {
      if (waiting[id.index] > 0) {
        return Damaged(Describe(node(id)) + " is on a cycle");
      }
    }
  }
  order_ = std::move(sorted);
  return OkStatus();
}

int64_t Graph::Symbol(const std::string& symbol) {
  const int64_t next = kFirstSymbol - static_cast<int64_t>(symbols_.size());
  const auto [it, is_new] = symbol_ids_.emplace(symbol, next);
  if (is_new) symbols_.push_back(symbol);
  return it->second;
}

std::string Describe(const Node& node) {
  return "node '" + node.name + "' (" + std::string(OpName(node.op)) + ")";
}

}  // namespace stint
