#include "convert/compress/weight_matrix.h"

#include <algorithm>

namespace stint {
namespace {

const Tensor* Float32At(const Graph& graph, const Node& node, size_t i) {
  if (i >= node.inputs.size() || !node.inputs[i].valid()) return nullptr;
  const auto& constant = graph.value(node.inputs[i]).constant;
  if (!constant || constant->dtype() != DType::kFloat32 ||
      !constant->has_elements()) {
    return nullptr;
  }
  return &*constant;
}

// Stored as [inputs, outputs].
void SetColumns(const Tensor& w, WeightMatrix* matrix) {
  matrix->outputs = w.dim(1);
  matrix->inputs = w.dim(0);
  matrix->output_stride = 1;
  matrix->input_stride = w.dim(1);
}

// Stored as [outputs, ...].
void SetRows(const Tensor& w, WeightMatrix* matrix) {
  matrix->outputs = w.dim(0);
  matrix->inputs = w.dim(0) > 0 ? w.size() / w.dim(0) : 0;
  matrix->output_stride = matrix->inputs;
  matrix->input_stride = 1;
}

// The node that turns a product's second operand over, or null.
const Node* TurnedBy(const Graph& graph, const Node& product) {
  if (!As<MatMul>(product.op)) return nullptr;
  const NodeId maker = graph.value(product.inputs[1]).producer;
  if (!maker.valid()) return nullptr;
  const Node& node = graph.node(maker);
  const Transpose* turn = As<Transpose>(node.op);
  const bool swaps =
      turn != nullptr && turn->perm == std::vector<int64_t>{1, 0};
  return swaps ? &node : nullptr;
}

}  // namespace

std::optional<WeightMatrix> WeightsOf(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (const Node* turn = TurnedBy(graph, node)) {
    const Tensor* w = Float32At(graph, *turn, 0);
    if (w == nullptr || w->rank() != 2 || w->size() == 0) return std::nullopt;
    WeightMatrix matrix;
    matrix.node = id;
    matrix.value = turn->inputs[0];
    SetRows(*w, &matrix);
    return matrix;
  }
  const Tensor* w = Float32At(graph, node, 1);
  if (w == nullptr || w->size() == 0) return std::nullopt;
  WeightMatrix matrix;
  matrix.node = id;
  matrix.value = node.inputs[1];
  if (As<Conv>(node.op)) {
    SetRows(*w, &matrix);
    matrix.taps = w->dim(1) > 0 ? matrix.inputs / w->dim(1) : 1;
  } else if (const Gemm* gemm = As<Gemm>(node.op)) {
    if (gemm->transA != 0) return std::nullopt;
    gemm->transB != 0 ? SetRows(*w, &matrix) : SetColumns(*w, &matrix);
  } else if (As<MatMul>(node.op) && w->rank() == 2) {
    SetColumns(*w, &matrix);
  } else {
    return std::nullopt;
  }
  return matrix;
}

std::vector<WeightMatrix> FindWeights(const Graph& graph) {
  std::vector<int> readers(graph.num_values(), 0);
  for (NodeId id : graph.order()) {
    for (ValueId in : graph.node(id).inputs) {
      if (in.valid()) ++readers[in.index];
    }
  }
  std::vector<WeightMatrix> found;
  for (NodeId id : graph.order()) {
    const auto matrix = WeightsOf(graph, id);
    if (!matrix || readers[matrix->value.index] != 1 ||
        readers[graph.node(id).inputs[1].index] != 1) {
      continue;
    }
    const Conv* conv = As<Conv>(graph.node(id).op);
    if (conv != nullptr && conv->group != 1) continue;
    found.push_back(*matrix);
  }
  return found;
}

Result<float*> OwnWeights(const WeightMatrix& matrix, Graph* graph) {
  auto& constant = graph->value(matrix.value).constant;
  STINT_ASSIGN_OR_RETURN(Tensor own, constant->Clone());
  constant = std::move(own);
  return constant->data<float>();
}

int BiasInput(const Op& op) {
  if (As<Conv>(op)) return 2;
  const Gemm* gemm = As<Gemm>(op);
  return gemm != nullptr && gemm->beta == 1.0f ? 2 : -1;
}

Result<float*> OwnBias(const WeightMatrix& matrix, Graph* graph) {
  Node& node = graph->node(matrix.node);
  const auto at = static_cast<size_t>(BiasInput(node.op));
  std::vector<float> bias(static_cast<size_t>(matrix.outputs), 0.0f);
  if (node.inputs.size() > at && node.inputs[at].valid()) {
    const auto& old = graph->value(node.inputs[at]).constant;
    if (!old || old->dtype() != DType::kFloat32 ||
        (old->size() != matrix.outputs && old->size() != 1)) {
      return Unsupported(Describe(node) + ": its bias is not a vector");
    }
    for (size_t o = 0; o < bias.size(); ++o) {
      bias[o] = old->data<float>()[old->size() == 1 ? 0 : o];
    }
  }
  node.inputs.resize(std::max(node.inputs.size(), at + 1), kNoValue);
  node.inputs[at] =
      graph->AddConstant(node.name + ".bias", Tensor::Vector(bias));
  return graph->value(node.inputs[at]).constant->data<float>();
}

}  // namespace stint
