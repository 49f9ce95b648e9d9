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

// A run under way, for callers that go from node to node themselves. Weights
// are read when their node runs.
class LayerwiseRun {
 public:
  // `order`: nodes to run, each behind those that it reads from. Graph and pool
  // must outlive the run.
  LayerwiseRun(const Graph& graph, const std::vector<NodeId>& order,
               const Samples& samples, ThreadPool* pool);

  // kUnsupported for control flow.
  Status RunNode(NodeId id);
  // Instead of running the node: its outputs are those of `other`, of the same
  // samples.
  void TakeOutputs(NodeId id, const LayerwiseRun& other);
  // Gives back what no later node of the order reads; `id` has run.
  void Release(NodeId id);
  // A value of each sample, which may be changed in place; empty where one is
  // not there, has no elements, or is not a float32 tensor.
  std::vector<Tensor*> Find(ValueId value);

 private:
  Status RunSample(const Node& node, std::vector<Value>* values) const;

  const Graph& graph_;
  ThreadPool* pool_;
  std::vector<std::vector<Value>> values_;  // by sample, by value
  std::vector<NodeId> last_reader_;         // by value
};

// After a node has run: its first output for each sample, which may be changed
// in place. Nodes whose first output is not float32 are not shown.
using LayerVisitor =
    std::function<Status(NodeId node, std::span<Tensor* const> outputs)>;

// All nodes in order.
Status RunLayerwise(const Graph& graph, const Samples& samples,
                    ThreadPool* pool, const LayerVisitor& visitor);

}  // namespace stint
