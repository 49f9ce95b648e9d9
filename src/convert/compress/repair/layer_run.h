#pragma once
// Runs a graph on one sample, node by node, so that what a layer gives can be
// seen, and its weights changed, before the next layer reads it.

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/platform/thread_pool.h"
#include "model/graph/graph.h"

namespace stint {

// A value that is there, by its index.
struct HeldValue {
  size_t index = 0;
  Value value;
};

// Weights are read when their node runs. What is made of constants alone, such
// as weights that are turned over, is made when somebody reads it.
class LayerRun {
 public:
  // `order`: nodes to run, each behind those that it reads from. Graph and pool
  // must outlive the run.
  LayerRun(const Graph& graph, const std::vector<NodeId>& order,
           ThreadPool* pool);

  // From the graph's inputs on; or from what Save() gave.
  void Start(const std::vector<Value>& inputs);
  void Start(const std::vector<HeldValue>& held);
  std::vector<HeldValue> Save() const;

  // kUnsupported for control flow.
  Status Run(NodeId id);
  // Instead of running the node: its outputs are those of `other`.
  void TakeOutputs(NodeId id, const LayerRun& other);
  // Gives back what no later node of the order reads, but for outputs of the
  // graph; `id` has run.
  void Release(NodeId id);
  // To be called when constants have changed.
  void ForgetConstants() {
    made_.clear();
    made_bytes_ = 0;
  }

  // A float32 tensor with elements, which may be changed in place; otherwise
  // null.
  Tensor* Find(ValueId value);
  // Of all values that are there.
  int64_t HeldBytes() const;

 private:
  Result<const Value*> Input(ValueId value);
  void Put(ValueId value, Value made);

  const Graph& graph_;
  ThreadPool* pool_;
  std::vector<std::optional<Value>> values_;
  std::vector<NodeId> last_reader_;  // by value
  std::vector<bool> is_output_;      // by value
  std::vector<bool> constant_;       // by node: reads constants alone
  std::map<ValueId, Value> made_;    // of constants
  int64_t made_bytes_ = 0;
};

}  // namespace stint
