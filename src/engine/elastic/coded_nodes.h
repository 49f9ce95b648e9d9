#pragma once
// The nodes of a graph whose weights are matrices of an elastic file's layers,
// and which of them there are kernels for that compute on codes.

#include <map>
#include <string>
#include <vector>

#include "model/graph/graph.h"
#include "weights/shards/shard_layout.h"

namespace stint {

struct LayerNode {
  int layer;
  std::vector<int> matrices;
};

// Every node that reads matrices of a layer, by its name.
std::map<std::string, LayerNode> NodesOf(const ShardLayout& layout);

// The nodes of the graph that are computed on codes, in order. A transformer
// block is taken only as a whole.
std::vector<NodeId> CodedNodes(const ShardLayout& layout, const Graph& graph,
                               const std::map<std::string, LayerNode>& nodes);

}  // namespace stint
