#include "engine/lower/lower_graph.h"

#include "engine/lower/block_channels.h"

namespace stint {
namespace {

// A convolution of one or two axes with constant weights.
bool RunsInBf16(const Graph& graph, const Node& node) {
  if (!As<FusedConv>(node.op) && !As<Conv>(node.op)) return false;
  const std::optional<Tensor>& w = graph.value(node.inputs[1]).constant;
  return w && w->rank() <= 4;
}

// A model that is asked to run in fewer bits must not run in float32 instead.
Status CheckPrecision(const Graph& graph, Precision precision) {
  if (precision == Precision::kFloat32) return OkStatus();
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (precision == Precision::kBFloat16 && RunsInBf16(graph, node)) continue;
    if (As<FusedConv>(node.op) || As<Conv>(node.op) ||
        As<ConvTranspose>(node.op)) {
      return Unsupported(Describe(node) +
                         ": this convolution does not run in " +
                         std::string(PrecisionName(precision)));
    }
  }
  for (size_t i = 0; i < graph.num_subgraphs(); ++i) {
    STINT_RETURN_IF_ERROR(
        CheckPrecision(graph.subgraph({static_cast<int32_t>(i)}), precision));
  }
  return OkStatus();
}

}  // namespace

Result<std::unique_ptr<Graph>> LowerGraph(const Graph& graph,
                                          const KernelSite& site) {
  STINT_RETURN_IF_ERROR(CheckPrecision(graph, site.precision));
  std::unique_ptr<Graph> lowered = graph.Clone();
  STINT_RETURN_IF_ERROR(BlockChannels(site, lowered.get()));
  STINT_RETURN_IF_ERROR(InferGraph(lowered.get()));
  STINT_RETURN_IF_ERROR(VerifyGraph(*lowered));
  return lowered;
}

}  // namespace stint
