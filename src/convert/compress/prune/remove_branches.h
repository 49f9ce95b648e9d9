#pragma once
// Takes whole branches out of residual networks: a sum passes on what it would
// have added the branch to.

#include <optional>
#include <set>
#include <string>

#include "model/graph/graph.h"

namespace stint {

// Removes the branch that each of the layers, named, is part of. Nodes without
// readers stay. kUnsupported when what a layer makes does not end, through
// nodes that nobody else reads, in a sum with something of the same shape.
Status RemoveBranches(const std::set<std::string>& layers, Graph* graph);

// The sum that the branch of a layer ends in; nothing: it is in none. Of
// branches that end in one, the last has to stay.
std::optional<NodeId> SumOfBranch(const Graph& graph, NodeId layer);

}  // namespace stint
