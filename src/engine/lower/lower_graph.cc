#include "engine/lower/lower_graph.h"

#include "engine/lower/block_channels.h"
#include "engine/lower/gate_weights.h"
#include "engine/lower/merge_groups.h"
#include "engine/lower/narrow_images.h"
#include "engine/lower/quantize_images.h"
#include "engine/lower/stated_codes.h"

namespace stint {
namespace {

bool IsConvolution(const Node& node) {
  return As<FusedConv>(node.op) || As<Conv>(node.op) ||
         As<ConvTranspose>(node.op);
}

// A convolution of one or two axes with constant weights; those that the model
// states in codes run on the codes.
bool RunsInBf16(const Graph& graph, const Node& node) {
  if (As<ConvTranspose>(node.op)) return false;
  const GraphValue& w = graph.value(node.inputs[1]);
  const bool coded = w.producer.valid() &&
                     As<DequantizeLinear>(graph.node(w.producer).op) != nullptr;
  return coded || (w.constant && w.constant->rank() <= 4);
}

// The first convolution, in subgraphs too, that does not run as it is in this
// precision; null when there is none.
const Node* FindConvolution(const Graph& graph, Precision precision) {
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (!IsConvolution(node)) continue;
    if (precision == Precision::kBFloat16 && RunsInBf16(graph, node)) continue;
    return &node;
  }
  for (size_t i = 0; i < graph.num_subgraphs(); ++i) {
    const Node* node =
        FindConvolution(graph.subgraph({static_cast<int32_t>(i)}), precision);
    if (node != nullptr) return node;
  }
  return nullptr;
}

// A model that is asked to run in fewer bits must not run in float32 instead.
Status CheckPrecision(const Graph& graph, Precision precision,
                      bool has_ranges) {
  if (precision == Precision::kFloat32 || has_ranges) return OkStatus();
  const Node* node = FindConvolution(graph, precision);
  if (node == nullptr) return OkStatus();
  if (precision == Precision::kInt8) {
    return Unsupported(Describe(*node) +
                       ": convolutions run in int8 only after calibration");
  }
  return Unsupported(Describe(*node) + ": this convolution does not run in " +
                     std::string(PrecisionName(precision)));
}

}  // namespace

bool NeedsRanges(const Graph& graph, Precision precision) {
  return precision == Precision::kInt8 &&
         FindConvolution(graph, precision) != nullptr &&
         RangesOf(graph).empty();
}

Result<std::unique_ptr<Graph>> LowerGraph(const Graph& graph,
                                          const KernelSite& site,
                                          const ActivationRanges* ranges) {
  const ActivationRanges known = ranges != nullptr ? *ranges : RangesOf(graph);
  const bool use_ranges = site.precision == Precision::kInt8 &&
                          (ranges != nullptr || !known.empty());
  STINT_RETURN_IF_ERROR(CheckPrecision(graph, site.precision, use_ranges));
  std::unique_ptr<Graph> lowered = graph.Clone();
  // What the model itself states holds at any precision.
  STINT_ASSIGN_OR_RETURN(ImageCodes codes, TakeStatedCodes(lowered.get()));
  if (use_ranges) codes.Complete(known);
  STINT_RETURN_IF_ERROR(QuantizeImages(codes, lowered.get()));
  STINT_RETURN_IF_ERROR(InferGraph(lowered.get()));
  STINT_RETURN_IF_ERROR(MergeGroups(site, lowered.get()));
  STINT_RETURN_IF_ERROR(BlockChannels(site, lowered.get()));
  STINT_RETURN_IF_ERROR(InferGraph(lowered.get()));
  STINT_RETURN_IF_ERROR(GateWeights(site, lowered.get()));
  if (NarrowImages(site, lowered.get())) {
    STINT_RETURN_IF_ERROR(InferGraph(lowered.get()));
  }
  STINT_RETURN_IF_ERROR(VerifyGraph(*lowered));
  return lowered;
}

}  // namespace stint
