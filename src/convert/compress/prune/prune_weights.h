#pragma once
// Pruning by magnitude: the smallest weights, or blocks of them, become 0 where
// they are.

#include <map>
#include <string>
#include <vector>

#include "convert/compress/weight_matrix.h"

namespace stint {

struct WeightPruning {
  double ratio = 0;  // share of the weights that become 0, in [0, 1)
  // Weights that stay or go together: so many consecutive outputs, and input
  // channels at one tap.
  int64_t block = 1;
  int64_t channels = 1;
  // The ratio holds for each layer by itself instead of for all together, where
  // a weight counts by its size relative to the larger ones of its layer.
  bool per_layer = false;
  // Ratios of single layers by name: where there are any, other layers stay as
  // they are, and `ratio` and `per_layer` do not count.
  std::map<std::string, double> ratios = {};
};

struct PrunedLayer {
  std::string name;
  int64_t weights = 0;
  int64_t zeros = 0;
};

// kInvalidArgument unless it is in [0, 1).
Status CheckRatio(double ratio);

// kInvalidArgument when a ratio is out of range or the graph has no weights
// to prune. A layer keeps at least a fifth of the share that all layers
// together keep: a layer without weights passes nothing on.
Result<std::vector<PrunedLayer>> PruneWeights(const WeightPruning& pruning,
                                              Graph* graph);

}  // namespace stint
