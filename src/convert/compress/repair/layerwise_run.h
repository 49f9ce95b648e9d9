#pragma once
// Inputs of a graph for many runs, and runs over all of them that show what
// each node gives.

#include <functional>
#include <vector>

#include "convert/compress/repair/layer_run.h"
#include "convert/evaluate/evaluate_data.h"

namespace stint {

// Inputs of a graph, in its order, for each of several runs.
using Samples = std::vector<std::vector<Value>>;

// Those to repair on, and those by which a repair is judged, which it has not
// seen.
struct RepairSamples {
  Samples fit;
  Samples held_back = {};
};

// The rows that `options` gives the package, and an eighth as many behind
// them, held back; where there are not so many, the last ninth. Those of equal
// shape are put together where the graph leaves its first dimensions
// free: as many as are run within `run_bytes`. kInvalidArgument when the data
// does not fit the model.
Result<RepairSamples> CollectSamples(const Package& package,
                                     const EvalOptions& options,
                                     int64_t run_bytes, ThreadPool* pool);

int64_t CountRows(const Samples& samples);

// After a node has run on a sample: its first output, which may be changed in
// place. Nodes whose first output is not float32 are not shown.
using LayerVisitor = std::function<Status(NodeId node, Tensor* output)>;

// All nodes in order, on one sample after the other.
Status RunLayerwise(const Graph& graph, const Samples& samples,
                    ThreadPool* pool, const LayerVisitor& visitor);

// How far the float32 outputs of `changed`, which has the inputs and outputs of
// `original`, are from the original's: the root of the mean square of
// differences, of that of the outputs.
Result<double> OutputDistance(const Graph& original, const Graph& changed,
                              const Samples& samples, ThreadPool* pool);

}  // namespace stint
