#pragma once
// Recovery without gradients: each layer of a compressed graph is scaled and
// shifted so that its channels have the mean and the variance that they had in
// the original.

#include <map>
#include <vector>

#include "convert/compress/repair/layerwise_run.h"

namespace stint {

// Of the channels of what a node with weights gives, over samples and pixels.
struct ChannelStatistics {
  std::vector<double> mean;
  std::vector<double> variance;
};
using GraphStatistics = std::map<NodeId, ChannelStatistics>;

// Of every Conv and Gemm node.
Result<GraphStatistics> MeasureStatistics(const Graph& graph,
                                          const Samples& samples,
                                          ThreadPool* pool);

struct MatchOptions {
  bool variance = true;  // false: only means ("bias correction")
  // Channels that nodes kept of those that `original` has; nodes that are not
  // there kept all.
  std::map<NodeId, std::vector<int64_t>> kept = {};
  // For what is alive between layers, of all samples.
  int64_t kept_bytes = 256 << 20;
};

// Layers are matched in order, each with all before it matched. Changes weights
// and biases only. Returns how many layers were matched.
Result<int> MatchStatistics(const GraphStatistics& original,
                            const Samples& samples, ThreadPool* pool,
                            const MatchOptions& options, Graph* graph);

}  // namespace stint
