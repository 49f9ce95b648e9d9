#pragma once
// Runs a graph. For each set of input shapes it binds a program once: a flat
// list of steps with kernels chosen, shapes settled and memory placed. What
// depends on data is settled step by step at run time.

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/function_ref.h"
#include "engine/bind/node_kernel.h"
#include "engine/run/program.h"
#include "model/graph/graph.h"

namespace stint {

// Checked between steps, in bodies of control flow too; all may be absent.
struct RunLimits {
  const std::atomic<bool>* cancel = nullptr;
  int64_t deadline_ns = 0;  // on the clock of NowNs(); 0: none
};

// kCancelled when a limit is reached.
Status CheckLimits(const RunLimits& limits);

// Sees the steps of a run as they pass, on the thread that runs.
class StepObserver {
 public:
  virtual ~StepObserver() = default;
  // An error ends the run.
  virtual Status BeforeStep(const Node& node) {
    (void)node;
    return OkStatus();
  }
  // Times on the clock of NowNs().
  virtual void OnStep(const Node& node, int64_t start_ns, int64_t end_ns) = 0;
  // After OnStep: what the step read and made.
  virtual void OnOutputs(const Node& node, EvalContext& ctx) {
    (void)node;
    (void)ctx;
  }
};

// Used by one thread at a time. The graph must outlive it.
class GraphRunner {
 public:
  GraphRunner(const Graph* graph, KernelSite site, ThreadPool* pool);
  ~GraphRunner();

  // Weights of nodes, by name, that were packed before; must outlive it.
  void set_packed(const PackedTable* packed) { packed_ = packed; }
  // What nodes read in place of constants without elements; must outlive it.
  void set_coded(const CodedTable* coded) { coded_ = coded; }
  // How many sets of input shapes stay bound, each with memory for its
  // activations; at least 1. By default enough for the lengths that a text
  // workload mixes, little against one program's activations.
  static constexpr size_t kMaxPrograms = 16;
  void set_max_programs(size_t most) { max_programs_ = most; }
  // Binds what RunInto would bind for these inputs.
  Status BindTo(std::span<const Value> inputs) {
    return ProgramFor(inputs).status();
  }
  // Shapes are bound again when they are met.
  void DropPrograms() { programs_.clear(); }
  // Shapes whose activations take more are refused before they take it:
  // kBudgetInfeasible.
  void set_most_activation_bytes(int64_t bytes) {
    most_activation_bytes_ = bytes;
  }
  // What the kernels of nodes have packed so far, by the name of the node.
  PackedTable packed() const;
  // Told of each constant whose elements kernels have packed, so that whoever
  // shares them can let go of them, too. Without it they are kept.
  void set_release(std::function<void(ValueId)> release) {
    release_ = std::move(release);
  }

  // Evaluates what depends on constants alone. Called once, before Run.
  Status Prepare();

  // Inputs in the order of graph.inputs(); their types are checked against the
  // declared ones by the caller.
  Result<std::vector<Value>> Run(const std::vector<Value>& inputs,
                                 const RunLimits& limits = {});

  // The same into `outputs`: tensors that are already there and fit are
  // overwritten. With shapes it has seen before, and steps whose shapes do not
  // depend on data, such a run allocates nothing but what reference evaluations
  // do.
  Status RunInto(std::span<const Value> inputs, std::vector<Value>* outputs,
                 const RunLimits& limits = {});

  // The same for a body of control flow, under the limits of the run it is
  // part of.
  Result<std::vector<Value>> RunBody(const std::vector<Value>& inputs) {
    return Run(inputs, outer_limits_);
  }

  const Graph& graph() const { return *graph_; }
  int num_inputs() const { return static_cast<int>(graph_->inputs().size()); }
  int num_outputs() const { return static_cast<int>(graph_->outputs().size()); }

  // As far as it is known without inputs.
  const ValueType& output_type(int i) const {
    return graph_->value(graph_->outputs()[static_cast<size_t>(i)]).type;
  }

  // Told of each step of a run; may be null. Not told of bodies. Returns the
  // one before.
  StepObserver* set_observer(StepObserver* observer) {
    return std::exchange(observer_, observer);
  }
  // Runs take all steps but compute nothing: what is left is what the runtime
  // itself costs. Steps meet all threads once, as most kernels do.
  void set_null_kernels(bool on) { null_kernels_ = on; }

  // What one run with inputs of these shapes costs.
  struct Cost {
    int64_t macs = 0;
    int64_t activation_bytes = 0;  // arena and scratch
    int steps = 0;
    int unsettled_steps = 0;  // shapes known only at run time: not in `macs`
  };
  Result<Cost> CostFor(std::span<const Value> inputs);

  // A run with inputs of these shapes need not be bound first.
  bool IsBound(std::span<const Value> inputs) const;

  // Memory of the programs that are bound: what runs write to, and what the
  // steps themselves take (kernels not included).
  struct Memory {
    int64_t activation_bytes = 0;
    int64_t step_bytes = 0;
  };
  Memory BoundMemory() const;

  // Every step of the program that was used or bound last, in order; bodies of
  // control flow not included.
  void VisitSteps(
      FunctionRef<void(const Node& node, const Step& step)> visit) const;

 private:
  friend class ProgramBuilder;

  Result<Program*> ProgramFor(std::span<const Value> inputs);
  Status RunSteps(const RunLimits& limits, Program* program);
  Status RunStep(Step* step);
  Result<NodeKernel*> KernelFor(NodeId id, const InferContext& inferred);
  const PackedWeights* PackedFor(NodeId id) const;
  CodedNode CodedFor(NodeId id) const;
  void CountReaders();
  // Lets go of constants all of whose readers have packed them, once `kernel`
  // has done so.
  void ReleasePacked(NodeId id, const NodeKernel& kernel);
  Status RunDynamic(Step& step);

  const Graph* graph_;
  KernelSite site_;
  ThreadPool* pool_;
  // Contents known without inputs: constants and what follows from them.
  std::vector<std::shared_ptr<Value>> known_;  // by value; null if not
  std::vector<bool> folded_;    // by node: nothing is left to run
  std::vector<bool> released_;  // by node: has packed its constants
  std::vector<int> readers_;    // by value: nodes that have not
  // A kernel and what it was made for: element types and ranks, and whether
  // there is anything to compute. Programs point to kernels, so none is
  // dropped.
  struct BoundKernel {
    std::vector<std::pair<DType, int64_t>> kinds;
    std::unique_ptr<NodeKernel> kernel;
  };
  std::vector<std::vector<BoundKernel>> kernels_;  // by node
  std::vector<std::unique_ptr<GraphRunner>> subgraphs_;
  const PackedTable* packed_ = nullptr;
  const CodedTable* coded_ = nullptr;
  std::function<void(ValueId)> release_;
  StepObserver* observer_ = nullptr;
  bool null_kernels_ = false;
  RunLimits outer_limits_;  // of the run that runs this graph as a body
  size_t max_programs_ = kMaxPrograms;
  int64_t most_activation_bytes_ = std::numeric_limits<int64_t>::max();
  // Most recently used first; variable lengths come back.
  std::list<std::unique_ptr<Program>> programs_;
};

}  // namespace stint
