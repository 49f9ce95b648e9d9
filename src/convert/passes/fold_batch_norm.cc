#include <cmath>

#include "convert/passes/matcher.h"
#include "convert/passes/pass.h"

namespace stint {
namespace {

bool IsVector(const Tensor* tensor, int64_t size) {
  return tensor != nullptr && tensor->dtype() == DType::kFloat32 &&
         tensor->rank() == 1 && tensor->dim(0) == size;
}

// The convolution that the normalization can be folded into, or null.
const Node* FoldableConv(const Matcher& match, const Node& norm) {
  const auto* op = As<BatchNormalization>(norm.op);
  if (op == nullptr || op->training_mode != 0) return nullptr;
  const Node* conv = match.MadeOnce<Conv>(norm.inputs[0]);
  if (conv == nullptr) return nullptr;
  const Tensor* w = match.Constant(conv->inputs[1]);
  if (w == nullptr || w->dtype() != DType::kFloat32) return nullptr;
  for (size_t i = 1; i < 5; ++i) {
    if (!IsVector(match.Constant(norm.inputs[i]), w->dim(0))) return nullptr;
  }
  const bool has_bias = conv->inputs.size() > 2 && conv->inputs[2].valid();
  if (has_bias && !IsVector(match.Constant(conv->inputs[2]), w->dim(0))) {
    return nullptr;
  }
  return conv;
}

}  // namespace

// conv followed by an affine map per channel is a conv with other constants.
Result<int> FoldBatchNorm(Graph* graph) {
  const Matcher match(graph);
  int count = 0;
  const std::vector<NodeId> order = graph->order();
  for (NodeId id : order) {
    Node& node = graph->node(id);
    const Node* conv = FoldableConv(match, node);
    if (conv == nullptr) continue;
    const float* in[5];
    for (size_t i = 1; i < 5; ++i) {
      in[i] = match.Constant(node.inputs[i])->data<float>();
    }
    const float* old_bias = conv->inputs.size() > 2 && conv->inputs[2].valid()
                                ? match.Constant(conv->inputs[2])->data<float>()
                                : nullptr;
    STINT_ASSIGN_OR_RETURN(Tensor w, match.Constant(conv->inputs[1])->Clone());
    if (match.readers(conv->inputs[1]) == 1) {
      // So that two sets of weights never exist at once.
      graph->value(conv->inputs[1]).constant.reset();
    }
    const int64_t channels = w.dim(0);
    STINT_ASSIGN_OR_RETURN(Tensor bias,
                           Tensor::Allocate(DType::kFloat32, {channels}));
    const float epsilon = As<BatchNormalization>(node.op)->epsilon;
    const int64_t per_channel = channels > 0 ? w.size() / channels : 0;
    for (int64_t c = 0; c < channels; ++c) {
      const float factor = in[1][c] / std::sqrt(in[4][c] + epsilon);
      const float before = old_bias != nullptr ? old_bias[c] : 0.0f;
      bias.data<float>()[c] = (before - in[3][c]) * factor + in[2][c];
      float* row = w.data<float>() + c * per_channel;
      for (int64_t i = 0; i < per_channel; ++i) row[i] *= factor;
    }
    node.op = *As<Conv>(conv->op);
    const ValueId x = conv->inputs[0];
    node.name = conv->name;
    node.inputs = {x, graph->AddConstant(node.name + ".weight", std::move(w)),
                   graph->AddConstant(node.name + ".bias", std::move(bias))};
    node.outputs.resize(1);
    ++count;
  }
  return count;
}

}  // namespace stint
