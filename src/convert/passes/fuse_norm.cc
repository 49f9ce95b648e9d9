#include "convert/passes/matcher.h"
#include "convert/passes/pass.h"

namespace stint {
namespace {

// A constant of one number per column, or none where it may be left out.
bool IsVector(const Matcher& match, ValueId value, int64_t columns) {
  const Tensor* constant = match.Constant(value);
  return constant != nullptr && constant->rank() == 1 &&
         constant->size() == columns;
}

// Over the last dimension, with nobody to read mean or deviation.
bool IsPlain(const Matcher& match, const Graph& graph, const Node& node) {
  const auto* norm = As<LayerNormalization>(node.op);
  if (norm == nullptr) return false;
  const ValueType& type = graph.value(node.inputs[0]).type;
  if (!type.ranked || type.rank() == 0 || !IsKnown(type.dims.back()) ||
      (norm->axis != -1 && norm->axis != type.rank() - 1)) {
    return false;
  }
  for (size_t i = 1; i < node.outputs.size(); ++i) {
    if (node.outputs[i].valid()) return false;
  }
  const int64_t columns = type.dims.back();
  const bool shifted = node.inputs.size() > 2 && node.inputs[2].valid();
  return IsVector(match, node.inputs[1], columns) &&
         (!shifted || IsVector(match, node.inputs[2], columns));
}

}  // namespace

// The normalization of what one linear layer gives.
Result<int> FuseNorm(Graph* graph) {
  const Matcher match(graph);
  int count = 0;
  for (NodeId id : graph->order()) {
    Node& node = graph->node(id);
    if (!IsPlain(match, *graph, node)) continue;
    const Node* linear = match.MadeOnce<FusedLinear>(node.inputs[0]);
    if (linear == nullptr || linear->inputs.size() > FusedLinearNorm::kScale ||
        match.Constant(linear->inputs[FusedLinear::kFirstWeight]) == nullptr) {
      continue;
    }
    FusedLinearNorm op;
    static_cast<FusedLinear&>(op) = *As<FusedLinear>(linear->op);
    op.epsilon = As<LayerNormalization>(node.op)->epsilon;
    std::vector<ValueId> inputs = linear->inputs;
    inputs.resize(FusedLinearNorm::kScale, kNoValue);
    inputs.insert(inputs.end(), node.inputs.begin() + 1, node.inputs.end());
    node.name = linear->name;
    node.op = std::move(op);
    node.inputs = std::move(inputs);
    node.outputs.resize(1);
    ++count;
  }
  return count;
}

}  // namespace stint
