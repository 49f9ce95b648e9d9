#include "weights/shards/weight_index.h"

#include "weights/shards/shard_weights.h"

namespace stint {

WeightIndex::WeightIndex(const Graph& graph, const ShardOptions& options)
    : graph_(graph),
      options_(options),
      readers_(graph.num_values()),
      is_output_(graph.num_values(), false) {
  for (NodeId id : graph.order()) {
    ++names_[graph.node(id).name];
    for (ValueId in : graph.node(id).inputs) {
      if (in.valid()) readers_[in.index].push_back(id);
    }
  }
  for (ValueId out : graph.outputs()) is_output_[out.index] = true;
}

std::optional<NodeId> WeightIndex::OnlyReader(ValueId value) const {
  if (!value.valid() || is_output_[value.index] ||
      readers_[value.index].size() != 1) {
    return std::nullopt;
  }
  return readers_[value.index][0];
}

bool WeightIndex::HasOwnName(NodeId node) const {
  return names_.at(graph_.node(node).name) == 1;
}

bool WeightIndex::IsWeight(ValueId value, int64_t rank) const {
  if (!value.valid()) return false;
  const auto& constant = graph_.value(value).constant;
  return constant && constant->dtype() == DType::kFloat32 &&
         constant->rank() >= rank && constant->size() > 0;
}

std::optional<ShardMatrix> WeightIndex::MatrixOf(NodeId node, int input,
                                                 WeightOrder order) const {
  const auto& inputs = graph_.node(node).inputs;
  const int64_t rank = order == WeightOrder::kWindow ? 3 : 2;
  if (input >= static_cast<int>(inputs.size()) ||
      !IsWeight(inputs[input], rank) || !OnlyReader(inputs[input])) {
    return std::nullopt;
  }
  const Shape& shape = graph_.value(inputs[input]).constant->shape();
  const PlaneBlockShape matrix = MatrixShape(shape, order);
  return ShardMatrix{
      graph_.node(node).name, input, order, matrix.outputs, matrix.inputs,
      PlaneCut::kOutputs,     {}};
}

std::vector<ShardMatrix> WeightIndex::Matrices(NodeId id) const {
  const Node& node = graph_.node(id);
  std::vector<ShardMatrix> matrices;
  if (!HasOwnName(id)) return matrices;
  const auto add = [&](int input, WeightOrder order) {
    auto matrix = MatrixOf(id, input, order);
    if (matrix) matrices.push_back(std::move(*matrix));
  };
  if (const auto* linear = As<FusedLinear>(node.op)) {
    const auto order =
        linear->transB != 0 ? WeightOrder::kRows : WeightOrder::kColumns;
    const int inputs = static_cast<int>(node.inputs.size());
    for (int i = FusedLinear::kFirstWeight; i < inputs; i += 2) add(i, order);
  } else if (As<FusedConv>(node.op) != nullptr) {
    add(1, WeightOrder::kWindow);
  }
  return matrices;
}

std::optional<ShardTable> WeightIndex::Table(ValueId value) const {
  if (!IsWeight(value, 2) || is_output_[value.index] ||
      readers_[value.index].empty()) {
    return std::nullopt;
  }
  const Tensor& constant = *graph_.value(value).constant;
  if (constant.rank() != 2 || !IsBig(constant.size())) return std::nullopt;
  ShardTable table{{}, constant.dim(0), constant.dim(1)};
  for (NodeId id : readers_[value.index]) {
    const Node& node = graph_.node(id);
    const auto* gather = As<Gather>(node.op);
    const bool rows = gather != nullptr && gather->axis == 0 &&
                      node.inputs[0] == value && node.inputs[1] != value;
    if (!rows || !HasOwnName(id)) return std::nullopt;
    table.nodes.push_back(node.name);
  }
  return table;
}

}  // namespace stint
