#pragma once
// The graph of a sub-network: fewer transformer blocks, each with its first
// slices only.

#include <memory>

#include "model/graph/graph.h"
#include "weights/shards/shard_layout.h"
#include "weights/shards/sub_network.h"

namespace stint {

// Constants that are shards keep their names and lose rows or columns; biases
// are cut with them. kUnsupported names the node whose part in its block is not
// understood: blocks are those of encoders, x + attention(x), then x +
// feed-forward(x), normalized before or after.
Result<std::unique_ptr<Graph>> CutGraph(const Graph& graph,
                                        const ShardLayout& layout,
                                        const SubNetwork& network);

}  // namespace stint
