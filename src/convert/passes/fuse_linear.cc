#include "convert/passes/matcher.h"
#include "convert/passes/pass.h"

namespace stint {
namespace {

bool IsMatrix(const Tensor* tensor) {
  return tensor != nullptr && tensor->dtype() == DType::kFloat32 &&
         tensor->rank() == 2;
}

bool IsPlain(const FusedLinear& op, const Node& node) {
  return op == FusedLinear{.transB = op.transB} &&
         node.inputs.size() == FusedLinear::kFirstWeight + 2 &&
         !node.inputs[1].valid();
}

// x * W with a constant W, also as the transpose of a constant.
bool FuseMatMul(const Matcher& match, const Graph& graph, Node* node) {
  if (As<MatMul>(node->op) == nullptr || !match.IsFloat32(node->inputs[0])) {
    return false;
  }
  const ValueType& x = graph.value(node->inputs[0]).type;
  if (!x.ranked || x.rank() < 2) return false;
  ValueId weight = node->inputs[1];
  FusedLinear linear;
  if (const Node* turned = match.Made<Transpose>(weight)) {
    weight = turned->inputs[0];
    linear.transB = 1;
  }
  if (!IsMatrix(match.Constant(weight))) return false;
  node->op = linear;
  node->inputs = {node->inputs[0], kNoValue, weight, kNoValue};
  return true;
}

bool FuseGemm(const Matcher& match, Node* node) {
  const Gemm* gemm = As<Gemm>(node->op);
  if (gemm == nullptr || gemm->alpha != 1 || gemm->beta != 1 || gemm->transA ||
      !IsMatrix(match.Constant(node->inputs[1]))) {
    return false;
  }
  const Tensor* w = match.Constant(node->inputs[1]);
  const bool has_bias = node->inputs.size() > 2 && node->inputs[2].valid();
  const ValueId bias = has_bias ? node->inputs[2] : kNoValue;
  if (has_bias) {
    const Tensor* b = match.Constant(bias);
    if (b == nullptr || b->rank() != 1 ||
        b->dim(0) != w->dim(gemm->transB ? 0 : 1)) {
      return false;
    }
  }
  node->op = FusedLinear{.transB = gemm->transB};
  node->inputs = {node->inputs[0], kNoValue, node->inputs[1], bias};
  return true;
}

// A sum of a linear layer and a constant as long as its rows.
bool FuseBias(const Matcher& match, Node* node) {
  const Binary* add = As<Binary>(node->op);
  if (add == nullptr || add->kind != BinaryKind::kAdd) return false;
  for (size_t i = 0; i < 2; ++i) {
    const Node* linear = match.MadeOnce<FusedLinear>(node->inputs[i]);
    const Tensor* bias = match.Constant(node->inputs[1 - i]);
    if (linear == nullptr || bias == nullptr || bias->rank() != 1) continue;
    const FusedLinear op = *As<FusedLinear>(linear->op);
    const Tensor* w = match.Constant(linear->inputs[FusedLinear::kFirstWeight]);
    if (!IsPlain(op, *linear) || w == nullptr ||
        linear->inputs[FusedLinear::kFirstWeight + 1].valid() ||
        bias->dim(0) != w->dim(op.transB ? 0 : 1)) {
      continue;
    }
    const ValueId bias_value = node->inputs[1 - i];
    node->name = linear->name;
    node->op = op;
    node->inputs = linear->inputs;
    node->inputs[FusedLinear::kFirstWeight + 1] = bias_value;
    return true;
  }
  return false;
}

}  // namespace

// Products with a constant matrix, and the bias added to them.
Result<int> FuseLinear(Graph* graph) {
  const Matcher match(graph);
  int count = 0;
  for (NodeId id : graph->order()) {
    Node& node = graph->node(id);
    if (FuseMatMul(match, *graph, &node) || FuseGemm(match, &node) ||
        FuseBias(match, &node)) {
      ++count;
    }
  }
  return count;
}

}  // namespace stint
