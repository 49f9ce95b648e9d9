#include "weights/store/elastic/find_shards.h"

#include "weights/shards/shard_weights.h"

namespace stint::store {

ShardFinder::ShardFinder(const Graph& graph) : graph_(graph) {
  for (NodeId id : graph.order()) {
    nodes_[graph.node(id).name].push_back(id);
  }
}

Result<ValueId> ShardFinder::Input(const std::string& node, int input) const {
  const auto it = nodes_.find(node);
  if (it == nodes_.end() || it->second.size() != 1) {
    return Damaged("shards of node '" + node + "', of which the graph has " +
                   std::to_string(it == nodes_.end() ? 0 : it->second.size()));
  }
  const auto& inputs = graph_.node(it->second[0]).inputs;
  if (input < 0 || input >= static_cast<int>(inputs.size()) ||
      !inputs[input].valid() || !graph_.value(inputs[input]).constant ||
      graph_.value(inputs[input]).constant->dtype() != DType::kFloat32) {
    return Damaged("input " + std::to_string(input) + " of node '" + node +
                   "' is no constant of weights");
  }
  return inputs[input];
}

Result<ValueId> ShardFinder::Find(const ShardMatrix& matrix) const {
  STINT_ASSIGN_OR_RETURN(const ValueId value, Input(matrix.node, matrix.input));
  const Tensor& constant = *graph_.value(value).constant;
  const bool window = matrix.order == WeightOrder::kWindow;
  if (window ? constant.rank() < 3 : constant.rank() != 2) {
    return Damaged("weights of node '" + matrix.node + "' are " +
                   ToString(constant.shape()));
  }
  const auto shape = MatrixShape(constant.shape(), matrix.order);
  if (shape.outputs != matrix.outputs || shape.inputs != matrix.inputs) {
    return Damaged("weights of node '" + matrix.node + "' are " +
                   ToString(constant.shape()) + ", their shards [" +
                   std::to_string(matrix.outputs) + "," +
                   std::to_string(matrix.inputs) + "]");
  }
  return value;
}

Result<ValueId> ShardFinder::Find(const ShardTable& table) const {
  ValueId found;
  for (const std::string& node : table.nodes) {
    STINT_ASSIGN_OR_RETURN(const ValueId value, Input(node, 0));
    if (found.valid() && found != value) {
      return Damaged("nodes '" + table.nodes[0] + "' and '" + node +
                     "' read different tables");
    }
    found = value;
  }
  const Shape& shape = graph_.value(found).constant->shape();
  if (shape != Shape{table.rows, table.columns}) {
    return Damaged("the table of node '" + table.nodes[0] + "' is " +
                   ToString(shape) + ", its rows are " +
                   ToString({table.rows, table.columns}));
  }
  return found;
}

Result<std::set<ValueId>> FindShards(const ShardLayout& layout,
                                     const Graph& graph) {
  const ShardFinder finder(graph);
  std::set<ValueId> found;
  const auto add = [&](const Result<ValueId>& value) -> Status {
    if (!value.ok()) return value.status();
    if (graph.value(*value).constant->has_elements() ||
        !found.insert(*value).second) {
      return Damaged("constant '" + graph.value(*value).name +
                     "' is there twice");
    }
    return OkStatus();
  };
  for (const ShardLayer& layer : layout.layers) {
    for (const ShardMatrix& matrix : layer.matrices) {
      STINT_RETURN_IF_ERROR(add(finder.Find(matrix)));
    }
  }
  for (const ShardTable& table : layout.tables) {
    STINT_RETURN_IF_ERROR(add(finder.Find(table)));
  }
  return found;
}

}  // namespace stint::store
