#pragma once
// Measures the ranges of a graph's activations: runs it in float32 and looks at
// every image that passes.

#include <memory>
#include <vector>

#include "engine/calibrate/histogram.h"
#include "engine/run/graph_runner.h"

namespace stint {

// The graph must outlive it, and be the one that is lowered afterwards.
class Calibration : private StepObserver {
 public:
  static Result<std::unique_ptr<Calibration>> Create(const Graph& graph,
                                                     const KernelSite& site,
                                                     ThreadPool* pool);

  // Its runs are ordinary float32 ones, and are looked at.
  GraphRunner* runner() { return &runner_; }

  // Of what has passed so far.
  ActivationRanges Ranges() const;

 private:
  Calibration(const Graph& graph, const KernelSite& site, ThreadPool* pool);
  void OnStep(const Node&, int64_t, int64_t) override {}
  void OnOutputs(const Node& node, EvalContext& ctx) override;
  void Add(ValueId id, const Value& value);

  const Graph& graph_;
  GraphRunner runner_;
  std::vector<std::unique_ptr<Histogram>> histograms_;  // by value
};

}  // namespace stint
