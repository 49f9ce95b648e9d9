#include <algorithm>
#include <numeric>

#include "convert/passes/matcher.h"
#include "convert/passes/pass.h"

namespace stint {
namespace {

bool IsIdentity(const std::vector<int64_t>& perm) {
  for (size_t i = 0; i < perm.size(); ++i) {
    if (perm[i] != static_cast<int64_t>(i)) return false;
  }
  return !perm.empty();
}

// The output is the first input, element for element.
bool DoesNothing(const Matcher& match, const Graph& graph, const Node& node) {
  if (node.inputs.empty() || !node.inputs[0].valid()) return false;
  const ValueId in = node.inputs[0];
  const ValueId out = node.outputs[0];
  if (const auto* unary = As<Unary>(node.op)) {
    return unary->kind == UnaryKind::kIdentity;
  }
  if (const auto* cast = As<Cast>(node.op)) {
    const ValueType& type = graph.value(in).type;
    return type.typed && type.dtype == cast->to;
  }
  if (const auto* turn = As<Transpose>(node.op)) return IsIdentity(turn->perm);
  if (As<Concat>(node.op) != nullptr) return node.inputs.size() == 1;
  if (As<Reshape>(node.op) || As<Flatten>(node.op) || As<Expand>(node.op) ||
      As<Squeeze>(node.op)) {
    return match.SameType(in, out);
  }
  return false;
}

// Two transpositions after each other are one.
bool MergeTransposes(const Matcher& match, Node* node) {
  const auto* outer = As<Transpose>(node->op);
  if (outer == nullptr || outer->perm.empty()) return false;
  const Node* before = match.Made<Transpose>(node->inputs[0]);
  if (before == nullptr) return false;
  const auto& inner = As<Transpose>(before->op)->perm;
  if (inner.size() != outer->perm.size()) return false;
  Transpose merged;
  for (int64_t axis : outer->perm) {
    merged.perm.push_back(inner[static_cast<size_t>(axis)]);
  }
  node->op = std::move(merged);
  node->inputs[0] = before->inputs[0];
  return true;
}

}  // namespace

// Identities, casts and reshapes to what is already there, and transpositions
// that cancel. Outputs of the graph keep the node that gives them their name.
Result<int> RemoveNoOps(Graph* graph) {
  const Matcher match(graph);
  std::vector<bool> is_output(graph->num_values(), false);
  for (ValueId out : graph->outputs()) is_output[out.index] = true;
  std::vector<int32_t> instead(graph->num_values());
  std::iota(instead.begin(), instead.end(), 0);
  int count = 0;
  for (NodeId id : graph->order()) {
    Node& node = graph->node(id);
    for (ValueId& in : node.inputs) {
      if (in.valid()) in.index = instead[in.index];
    }
    if (MergeTransposes(match, &node)) ++count;
    if (node.outputs.empty() || !node.outputs[0].valid() ||
        is_output[node.outputs[0].index] || !DoesNothing(match, *graph, node)) {
      continue;
    }
    instead[node.outputs[0].index] = node.inputs[0].index;
    ++count;
  }
  return count;
}

}  // namespace stint
