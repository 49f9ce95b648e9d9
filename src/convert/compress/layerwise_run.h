#pragma once
// Runs a graph node by node over many inputs at once, so that what a layer
// gives can be seen, and its weights changed, before the next layer reads it.

#include <functional>
#include <span>
#include <vector>

#include "convert/evaluate/evaluate_data.h"
#include "engine/bind/kernel_site.h"
#include "model/graph/graph.h"

namespace stint {

// Inputs of a graph, in its order, for each of several runs.
using Samples = std::vector<std::vector<Value>>;

// The inputs that `options` gives the package. Rows of equal shape are put
// together where the graph leaves its first dimensions free. kInvalidArgument
// when the data does not fit the model.
Result<Samples> CollectSamples(const Package& package,
                               const EvalOptions& options);

// After a node has run: its first output for each sample, which may be changed
// in place. Nodes whose first output is not float32 are not shown.
using LayerVisitor =
    std::function<Status(NodeId node, std::span<Tensor* const> outputs)>;

// Values live until their last reader has run. kUnsupported for control flow.
Status RunLayerwise(const Graph& graph, const Samples& samples,
                    ThreadPool* pool, const LayerVisitor& visitor);

}  // namespace stint
