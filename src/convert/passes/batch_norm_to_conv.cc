#include <algorithm>
#include <cmath>

#include "convert/passes/matcher.h"
#include "convert/passes/pass.h"

namespace stint {
namespace {

// An image of known channels with constant statistics for each.
bool IsChannelMap(const Graph& graph, const Matcher& match, const Node& node) {
  const auto* op = As<BatchNormalization>(node.op);
  if (op == nullptr || op->training_mode != 0 ||
      !match.IsFloat32(node.inputs[0])) {
    return false;
  }
  const ValueType& x = graph.value(node.inputs[0]).type;
  if (!x.ranked || x.rank() != 4 || !IsKnown(x.dims[1])) return false;
  return std::all_of(node.inputs.begin() + 1, node.inputs.begin() + 5,
                     [&](ValueId in) {
                       const Tensor* t = match.Constant(in);
                       return t != nullptr && t->dtype() == DType::kFloat32 &&
                              t->rank() == 1 && t->dim(0) == x.dims[1];
                     });
}

Status ToConv(const Matcher& match, Graph* graph, Node* node) {
  const float* in[5];
  for (size_t i = 1; i < 5; ++i) {
    in[i] = match.Constant(node->inputs[i])->data<float>();
  }
  const int64_t channels = match.Constant(node->inputs[1])->dim(0);
  STINT_ASSIGN_OR_RETURN(
      Tensor w, Tensor::Allocate(DType::kFloat32, {channels, 1, 1, 1}));
  STINT_ASSIGN_OR_RETURN(Tensor bias,
                         Tensor::Allocate(DType::kFloat32, {channels}));
  const float epsilon = As<BatchNormalization>(node->op)->epsilon;
  for (int64_t c = 0; c < channels; ++c) {
    const float factor = in[1][c] / std::sqrt(in[4][c] + epsilon);
    w.data<float>()[c] = factor;
    bias.data<float>()[c] = in[2][c] - in[3][c] * factor;
  }
  FusedConv conv;
  conv.group = channels;
  node->op = std::move(conv);
  node->inputs = {node->inputs[0],
                  graph->AddConstant(node->name + ".weight", std::move(w)),
                  graph->AddConstant(node->name + ".bias", std::move(bias))};
  node->outputs.resize(1);
  return OkStatus();
}

}  // namespace

// A normalization that no convolution took up is itself one: 1x1 and depthwise.
// As such it shares the layout of those around it and takes up the activation
// that follows. A graph without convolutions has no such layout to share.
Result<int> BatchNormToConv(Graph* graph) {
  const Matcher match(graph);
  if (!match.Has<FusedConv>()) return 0;
  int count = 0;
  const std::vector<NodeId> order = graph->order();
  for (NodeId id : order) {
    if (!IsChannelMap(*graph, match, graph->node(id))) continue;
    STINT_RETURN_IF_ERROR(ToConv(match, graph, &graph->node(id)));
    ++count;
  }
  return count;
}

}  // namespace stint
