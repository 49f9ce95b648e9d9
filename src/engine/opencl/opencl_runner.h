#pragma once
// Runs a graph on an OpenCL device, all of it: a node without a kernel there is
// an error. Computes in float32. For each set of input shapes a program is
// bound once.

#include <functional>
#include <list>
#include <memory>
#include <span>
#include <vector>

#include "engine/bind/kernel_site.h"
#include "engine/opencl/opencl_program.h"
#include "engine/run/graph_runner.h"

namespace stint {

// Used by one thread at a time. The graph must outlive it.
class OpenClRunner {
 public:
  // `site` and `pool` evaluate on the CPU what depends on constants or shapes
  // alone, when a program is bound.
  OpenClRunner(const Graph* graph, std::shared_ptr<const OpenClDevice> device,
               const KernelSite& site, ThreadPool* pool);

  // Inputs in the order of the graph's. Outputs that are there and fit are
  // overwritten. kUnsupported names every node that no kernel computes. With
  // limits, the host waits for each step before the next.
  Status RunInto(std::span<const Value> inputs, std::vector<Value>* outputs,
                 const RunLimits& limits = {});

  // Told of each step of a run, which then waits for each; may be null.
  void set_observer(StepObserver* observer) { observer_ = observer; }

  // Told of each constant, of two dimensions and more, whose elements are on
  // the device for good, so that whoever has them can let go. Without it they
  // are kept.
  void set_release(std::function<void(ValueId)> release) {
    release_ = std::move(release);
  }

  const OpenClDevice& device() const { return *device_; }
  int64_t weight_bytes() const { return weights_.bytes(); }
  // Of the program used last.
  int64_t arena_bytes() const {
    return programs_.empty() ? 0 : programs_.front()->arena_bytes;
  }

 private:
  friend class OpenClProgramBuilder;

  Result<OpenClProgram*> ProgramFor(std::span<const Value> inputs);
  Status SendInputs(const OpenClProgram& program,
                    std::span<const Value> inputs);
  Status RunSteps(const OpenClProgram& program, const RunLimits& limits);
  Status Enqueue(const BoundOpenClStep& step);
  Status FetchOutputs(const OpenClProgram& program,
                      std::vector<Value>* outputs);

  const Graph* graph_;
  std::shared_ptr<const OpenClDevice> device_;
  KernelSite site_;
  ThreadPool* pool_;
  OpenClWeights weights_;
  // By value: what follows from constants alone; null elsewhere.
  std::vector<std::shared_ptr<Value>> known_;
  std::function<void(ValueId)> release_;
  StepObserver* observer_ = nullptr;
  // Most recently used first.
  std::list<std::unique_ptr<OpenClProgram>> programs_;
};

}  // namespace stint
