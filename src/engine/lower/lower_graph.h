#pragma once
// Decides what depends on the machine and shows in the graph: layouts. The
// result has the same inputs and outputs.

#include <memory>

#include "engine/bind/kernel_site.h"
#include "model/graph/graph.h"

namespace stint {

// Tensors are shared with `graph`, not copied. kUnsupported when the graph has
// convolutions without a kernel in the precision asked for.
Result<std::unique_ptr<Graph>> LowerGraph(const Graph& graph,
                                          const KernelSite& site);

}  // namespace stint
