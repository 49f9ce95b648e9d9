#pragma once
// The constants of a graph that a shard layout speaks of.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/graph/graph.h"
#include "weights/shards/shard_layout.h"

namespace stint::store {

// The value that is input `input` of the node of that name; kDamaged when there
// is none, or several nodes have the name.
class ShardFinder {
 public:
  explicit ShardFinder(const Graph& graph);
  // float32 constants of the matrix's or table's shape.
  Result<ValueId> Find(const ShardMatrix& matrix) const;
  Result<ValueId> Find(const ShardTable& table) const;

 private:
  Result<ValueId> Input(const std::string& node, int input) const;

  const Graph& graph_;
  std::map<std::string, std::vector<NodeId>, std::less<>> nodes_;
};

// All of them. kDamaged when one is not there, has elements, or occurs twice.
Result<std::set<ValueId>> FindShards(const ShardLayout& layout,
                                     const Graph& graph);

}  // namespace stint::store
