#pragma once
// A graph bound to input shapes: the steps of one run and the memory they use.

#include <memory>
#include <vector>

#include "engine/bind/node_kernel.h"
#include "model/graph/graph.h"

namespace stint {

struct Step {
  NodeId node;
  NodeKernel* kernel = nullptr;  // null in a dynamic step until it runs
  EvalContext ctx;
  bool dynamic = false;  // output shapes are settled when it runs
};

struct Program {
  std::vector<ValueType> signature;  // types of the inputs it is bound to
  std::vector<Value> inputs;         // set by each run
  std::vector<std::unique_ptr<Step>> steps;
  // Have nothing to do, since their inputs already lie where outputs should;
  // they hold the output's tensor.
  std::vector<std::unique_ptr<Step>> idle_steps;
  std::vector<const Value*> outputs;
  // Values that are known for these shapes and borrowed views of others.
  std::vector<std::shared_ptr<Value>> held;
  // Programs of one runner share memory where the later one fits into it: what
  // the last run left in the caches is then overwritten, not evicted.
  Tensor arena;
  Tensor scratch;
  int64_t activation_bytes = 0;  // that it needs of both
};

}  // namespace stint
