#pragma once
// If, Loop, Scan and SequenceMap: kernels that run the graphs of their bodies.

#include <memory>
#include <vector>

#include "engine/bind/node_kernel.h"

namespace stint {

class GraphRunner;

// `subgraphs` are the runners of the graph's subgraphs, by id. The op must be
// control flow.
std::unique_ptr<NodeKernel> MakeControlKernel(
    const Op& op, const std::vector<GraphRunner*>& subgraphs);

}  // namespace stint
