#pragma once
// Decides what depends on the machine and shows in the graph: layouts and, in
// int8, codes of images. The result has the same inputs and outputs.

#include <memory>

#include "engine/bind/kernel_site.h"
#include "engine/lower/activation_ranges.h"
#include "model/graph/graph.h"

namespace stint {

// Convolutions in int8 need to know the ranges of what flows between them, and
// the graph's values do not carry them.
bool NeedsRanges(const Graph& graph, Precision precision);

// Tensors are shared with `graph`, not copied. `ranges` are of `graph`; null:
// those that its values carry, if any. kUnsupported when the graph has
// convolutions without a kernel in the precision asked for, or in int8 and
// ranges are not known.
Result<std::unique_ptr<Graph>> LowerGraph(
    const Graph& graph, const KernelSite& site,
    const ActivationRanges* ranges = nullptr);

}  // namespace stint
