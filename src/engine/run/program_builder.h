#pragma once
// Binds a graph to input shapes.

#include <memory>
#include <optional>
#include <vector>

#include "engine/run/graph_runner.h"
#include "engine/run/memory_plan.h"
#include "engine/run/program.h"

namespace stint {

class ProgramBuilder {
 public:
  explicit ProgramBuilder(GraphRunner* runner);

  Result<std::unique_ptr<Program>> Build(const std::vector<Value>& inputs);

  // Adds to the runner's known values what follows from constants alone, and
  // lets go of those that nothing else reads.
  Status FoldKnown();

 private:
  // What is known of a value while binding.
  struct Binding {
    const Value* value = nullptr;      // where readers find it
    const Tensor* contents = nullptr;  // when known before the run
    ValueType type;
    int buffer = -1;  // index into lives_, when it lives in the arena
  };

  void BindKnown();
  Status BindNode(NodeId id);
  void DropUnreadKnown();
  // Evaluates the node now when its result does not depend on the run.
  Result<bool> FoldNode(const Node& node, const InferContext& ctx);
  bool AliasNode(const Node& node, const InferContext& ctx);
  // Makes the inputs of a concatenation pieces of its output where they can
  // be, so that their producers write them in place. The step was just added.
  bool JoinInputs(const Node& node, const InferContext& ctx);
  std::optional<std::vector<int>> PiecesOf(const Node& node);
  Status AddStep(NodeId id, const InferContext& ctx, bool dynamic);
  void TouchInputs(const Node& node);
  void SetIdleStepsAside();
  Status CheckActivations(int64_t bytes) const;
  Status PlaceBuffers();

  GraphRunner* runner_;
  const Graph& graph_;
  std::unique_ptr<Program> program_;
  std::vector<Binding> bindings_;
  std::vector<BufferLife> lives_;
  // Tensors that get their memory when buffers are placed.
  struct Placement {
    Value* value;
    int buffer;
  };
  std::vector<Placement> placements_;
  std::vector<bool> idle_;  // by step
};

// The op only gives its first input another shape.
bool IsView(const Op& op);

}  // namespace stint
