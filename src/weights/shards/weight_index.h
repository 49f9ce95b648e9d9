#pragma once
// Which constants of a graph can become shards, and who reads what.

#include <map>
#include <optional>
#include <vector>

#include "model/graph/graph.h"
#include "weights/shards/shard_layout.h"

namespace stint {

class WeightIndex {
 public:
  WeightIndex(const Graph& graph, const ShardOptions& options);

  const Graph& graph() const { return graph_; }
  // Nodes that read a value, in order; a node that reads it twice stands twice.
  const std::vector<NodeId>& readers(ValueId value) const {
    return readers_[value.index];
  }
  // The one reader of a value that nothing else sees, or nothing.
  std::optional<NodeId> OnlyReader(ValueId value) const;

  // The float32 constants that are the node's weights and nobody else's, as
  // matrices that are not cut yet. Empty for nodes without.
  std::vector<ShardMatrix> Matrices(NodeId node) const;
  // The constant as a table, when all its readers gather rows of it.
  std::optional<ShardTable> Table(ValueId value) const;
  bool IsBig(int64_t weights) const { return weights >= options_.min_weights; }

 private:
  bool HasOwnName(NodeId node) const;
  // A float32 constant of that rank or more.
  bool IsWeight(ValueId value, int64_t rank) const;
  std::optional<ShardMatrix> MatrixOf(NodeId node, int input,
                                      WeightOrder order) const;

  const Graph& graph_;
  const ShardOptions options_;
  std::vector<std::vector<NodeId>> readers_;
  std::vector<bool> is_output_;
  std::map<std::string, int> names_;
};

}  // namespace stint
