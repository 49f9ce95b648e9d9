#pragma once
// Finds the transformer blocks of a fused graph.

#include <vector>

#include "weights/shards/weight_index.h"

namespace stint {

struct TransformerBlock {
  std::vector<NodeId> nodes;  // that have the matrices, in order
  ShardLayer layer;           // cut into slices
};

// Attention whose q, k, v are linear layers and whose result goes into another,
// then, where there is one, the pair of linear layers that follows. Blocks of
// too few weights are left out.
std::vector<TransformerBlock> FindTransformerBlocks(const WeightIndex& index);

// Bounds of `parts` parts of [0, size), multiples of `unit` but for the end, as
// equal as that allows.
std::vector<int64_t> CutEvenly(int64_t size, int64_t parts, int64_t unit);

}  // namespace stint
