#include "engine/profile/conv_layers.h"

#include <algorithm>
#include <memory>
#include <set>

#include "engine/bind/conv_shape.h"
#include "engine/device/conv_costs.h"
#include "engine/lower/lower_graph.h"
#include "engine/run/graph_runner.h"

namespace stint {
namespace {

// Trained weights have next to no zeros of their own.
constexpr double kPruned = 0.05;

// Names of nodes whose weights have zeros.
std::set<std::string> FindPruned(const Graph& graph) {
  std::set<std::string> names;
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (!As<FusedConv>(node.op) && !As<Conv>(node.op)) continue;
    const auto& w = graph.value(node.inputs[1]).constant;
    if (!w || w->dtype() != DType::kFloat32 || !w->has_elements()) continue;
    const float* begin = w->data<float>();
    const auto zeros = std::count(begin, begin + w->size(), 0.0f);
    if (static_cast<double>(zeros) > kPruned * static_cast<double>(w->size())) {
      names.insert(node.name);
    }
  }
  return names;
}

// The layer of a bound step.
Result<ConvLayer> LayerOf(const BlockedConv& op, const EvalContext& ctx) {
  ConvLayer layer;
  const Tensor& x = ctx.in(0);
  const Tensor& w = ctx.in(1);
  layer.input = x.rank() == 5 ? ImageLayout::kBlocked : ImageLayout::kPlain;
  Shape dims = x.shape();
  if (x.rank() == 5) {
    dims = PlainDims(dims);
    dims[1] = w.dim(1) * op.group;
  }
  STINT_ASSIGN_OR_RETURN(layer.shape, ConvShapeOf(op, dims, w.shape()));
  layer.name = ConvLayerName(layer.shape, layer.input);
  return layer;
}

void AddLayer(ConvLayer layer, std::vector<ConvLayer>* layers) {
  const auto same = std::find_if(
      layers->begin(), layers->end(),
      [&](const ConvLayer& other) { return other.name == layer.name; });
  if (same == layers->end()) {
    layers->push_back(std::move(layer));
    return;
  }
  same->nodes.push_back(layer.nodes[0]);
  same->pruned |= layer.pruned;
}

}  // namespace

Result<std::vector<ConvLayer>> FindConvLayers(const Graph& graph,
                                              std::span<const Value> inputs,
                                              const KernelSite& site,
                                              ThreadPool* pool) {
  STINT_ASSIGN_OR_RETURN(const auto lowered, LowerGraph(graph, site));
  GraphRunner runner(lowered.get(), site, pool);
  STINT_RETURN_IF_ERROR(runner.Prepare());
  STINT_RETURN_IF_ERROR(runner.CostFor(inputs).status());
  const std::set<std::string> pruned = FindPruned(graph);
  std::vector<ConvLayer> layers;
  Status status;
  runner.VisitSteps([&](const Node& node, const Step& step) {
    const auto* op = As<BlockedConv>(node.op);
    if (op == nullptr || step.dynamic) return;
    auto layer = LayerOf(*op, step.ctx);
    if (!layer.ok()) {
      status = layer.status();
      return;
    }
    layer->pruned = pruned.contains(node.name);
    layer->nodes = {node.name};
    AddLayer(*std::move(layer), &layers);
  });
  STINT_RETURN_IF_ERROR(status);
  return layers;
}

}  // namespace stint
