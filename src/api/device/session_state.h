#pragma once
// What a session is made of: the model, its program for this machine, and what
// must be measured before there is one.

#include <memory>
#include <mutex>
#include <vector>

#include "api/device/step_recorder.h"
#include "engine/bind/kernel_site.h"
#include "engine/calibrate/calibration.h"
#include "engine/elastic/elastic_runner.h"
#include "engine/elastic/full_runner.h"
#include "engine/opencl/opencl_runner.h"
#include "engine/run/graph_runner.h"
#include "stint/session.h"
#include "weights/package/package.h"

namespace stint {

struct Session::State {
  State(Model m, Runtime r, Runtime::State* shared, KernelSite where);
  // Gives its share of the runtime's memory to the others.
  ~State();

  const Graph& model_graph() const {
    return restored != nullptr ? *restored : *model.package_->graph;
  }

  // The weights went to another session: kInvalidArgument names a node.
  static Status CheckHasWeights(const Package& package);

  // Calibration or program, for the first run.
  Status Prepare();
  // The session's budget and the runtime's, where that is less; 0: none.
  int64_t MemoryLimit() const;
  // A memory budget of a model that is not elastic: bounds what weights may
  // grow by for speed. kBudgetInfeasible when the weights alone exceed it.
  Status LimitWeights();
  // kBudgetInfeasible when the process has taken more than the budget.
  Status CheckMemory() const;
  // On the codes of an elastic file.
  // Whether steps are watched; sets the recorder up.
  bool Observed();
  Status PrepareCodes();
  // On a plain file, by the policies that elastic ones are compared with.
  Status PrepareFull();
  // On the device that the options name.
  Status PrepareOpenCl();
  bool on_opencl() const { return options.device != SessionOptions().device; }
  // Null before there is one.
  GraphRunner* program() {
    if (full != nullptr) return full->runner();
    return elastic != nullptr ? elastic->runner() : runner.get();
  }
  // Kernels of other precisions start from plain weights, also where the model
  // has only packed ones.
  Status RestorePacked();
  // Nobody needs the elements of this constant any more.
  void ReleaseAll(ValueId id);
  // Makes the program that runs from now on; `ranges` may be null.
  Status Bind(const ActivationRanges* ranges);
  Status Run(const std::vector<Value>& inputs, std::vector<Value>* outputs,
             const RunLimits& limits);
  // The first runs are in float32; their ranges are those of the integer
  // program, which answers from the last of them on: nothing is called int8
  // that is not.
  Status RunAndCalibrate(const std::vector<Value>& inputs,
                         std::vector<Value>* outputs, const RunLimits& limits);

  Model model;
  Runtime runtime;
  std::mutex* running;
  std::shared_ptr<MemoryShares> shares;  // of the runtime; may be null
  ThreadPool* pool;
  KernelSite site;
  SessionOptions options;
  // With "auto": what was tried; empty before the first run.
  std::vector<PrecisionTrial> trials;
  int calibration_runs = 1;         // left to do
  std::unique_ptr<Graph> restored;  // the model's with plain weights, or null
  std::unique_ptr<Graph> graph;     // the model's, lowered for this machine
  std::unique_ptr<GraphRunner> runner;
  // Until the ranges that a model needs are known; there is no runner yet.
  std::unique_ptr<Calibration> calibration;
  std::unique_ptr<ElasticRunner> elastic;  // instead of graph and runner
  std::unique_ptr<FullRunner> full;        // likewise
  std::unique_ptr<OpenClRunner> opencl;    // likewise
  StepRecorder recorder;
};

}  // namespace stint
