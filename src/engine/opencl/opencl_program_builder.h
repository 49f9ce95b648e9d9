#pragma once
// Binds a graph to input shapes on an OpenCL device.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/opencl/opencl_runner.h"

namespace stint {

class OpenClProgramBuilder {
 public:
  explicit OpenClProgramBuilder(OpenClRunner* runner);

  Result<std::unique_ptr<OpenClProgram>> Build(std::span<const Value> inputs);

 private:
  void BindKnown();
  Status BindInputs(std::span<const Value> inputs);
  Status BindNode(NodeId id);
  bool IsKnown(const Node& node) const;
  // Evaluates the node now when its result does not depend on the run.
  Result<bool> FoldNode(const Node& node, const InferContext& types);
  Status LowerNode(NodeId id);
  void CountReaders();
  // Lets go of constants that all their readers have sent.
  void ReleaseInputs(const Node& node);
  Status CheckAllLowered() const;
  Status BindOutputs();
  OpenClValue& value(ValueId id) {
    return values_[static_cast<size_t>(id.index)];
  }

  OpenClRunner* runner_;
  const Graph& graph_;
  std::vector<OpenClValue> values_;
  std::vector<int> readers_;   // by value: nodes that are not bound yet
  std::vector<bool> missing_;  // by value: no kernel computes it
  std::vector<std::string> without_kernel_;  // nodes, for the message
  // What was evaluated for these shapes.
  std::vector<std::shared_ptr<Value>> held_;
  OpenClDraft draft_;
  std::unique_ptr<OpenClProgram> program_;
};

}  // namespace stint
