#include "engine/profile/tune_convolutions.h"

#include <algorithm>
#include <memory>
#include <set>

#include "engine/bind/conv_shape.h"
#include "engine/lower/lower_graph.h"
#include "engine/profile/time_primitives.h"
#include "engine/run/graph_runner.h"

namespace stint {
namespace {

struct Layer {
  ConvF32Shape shape;
  ImageLayout input;
  TunedLayer tuned;
  bool pruned = false;  // any of its weights was
};

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

// The layer of a bound step, if it is a blocked convolution.
Result<Layer> LayerOf(const BlockedConv& op, const EvalContext& ctx) {
  Layer layer;
  const Tensor& x = ctx.in(0);
  const Tensor& w = ctx.in(1);
  layer.input = x.rank() == 5 ? ImageLayout::kBlocked : ImageLayout::kPlain;
  Shape dims = x.shape();
  if (x.rank() == 5) {
    dims = PlainDims(dims);
    dims[1] = w.dim(1) * op.group;
  }
  STINT_ASSIGN_OR_RETURN(layer.shape, ConvShapeOf(op, dims, w.shape()));
  layer.tuned.layer = ConvLayerName(layer.shape, layer.input);
  layer.tuned.count = 1;
  return layer;
}

// The distinct ones, in the order of the graph.
Result<std::vector<Layer>> FindLayers(const Graph& graph,
                                      std::span<const Value> inputs,
                                      const KernelSite& site,
                                      ThreadPool* pool) {
  STINT_ASSIGN_OR_RETURN(const auto lowered, LowerGraph(graph, site));
  GraphRunner runner(lowered.get(), site, pool);
  STINT_RETURN_IF_ERROR(runner.Prepare());
  STINT_RETURN_IF_ERROR(runner.CostFor(inputs).status());
  const std::set<std::string> pruned = FindPruned(graph);
  std::vector<Layer> layers;
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
    const auto same =
        std::find_if(layers.begin(), layers.end(), [&](const Layer& other) {
          return other.tuned.layer == layer->tuned.layer;
        });
    if (same == layers.end()) {
      layers.push_back(*layer);
    } else {
      ++same->tuned.count;
      same->pruned |= layer->pruned;
    }
  });
  STINT_RETURN_IF_ERROR(status);
  return layers;
}

}  // namespace

Result<std::vector<TunedLayer>> TuneConvolutions(const Graph& graph,
                                                 std::span<const Value> inputs,
                                                 const TuneOptions& options,
                                                 ConvCosts* costs) {
  const Isa isa = options.site.isa;
  STINT_ASSIGN_OR_RETURN(const std::vector<Layer> layers,
                         FindLayers(graph, inputs, options.site, options.pool));
  const auto report = [&](size_t done) {
    if (!options.progress) return;
    options.progress(static_cast<int64_t>(done),
                     static_cast<int64_t>(layers.size()));
  };
  std::vector<TunedLayer> tuned;
  const ThreadPool::Run awake(options.pool);
  for (size_t i = 0; i < layers.size(); ++i) {
    report(i);
    const Layer& layer = layers[i];
    STINT_ASSIGN_OR_RETURN(
        auto times, TimePrimitives(layer.shape, layer.input, isa, options.pool,
                                   layer.pruned));
    if (times.empty()) continue;
    costs->Set(layer.tuned.layer, std::move(times));
    tuned.push_back(layer.tuned);
    tuned.back().default_primitive =
        PickConvBlockedF32(layer.shape, layer.input, isa)->primitive;
  }
  report(layers.size());
  return tuned;
}

}  // namespace stint
