#pragma once
// Runs a model whose weights are all in memory, on the CPU. In int8 the first
// runs are in float32 and measure ranges; then it makes its program anew.

#include <memory>

#include "api/device/plain_weights.h"
#include "engine/calibrate/calibration.h"
#include "engine/elastic/memory/memory_shares.h"
#include "engine/run/executable.h"

namespace stint {

struct PlainOptions {
  int64_t memory_bytes = 0;  // of the process at its peak; 0: no limit
  // Others who stream and make room for the weights; may be null.
  std::shared_ptr<MemoryShares> shares = nullptr;
  int calibration_runs = 1;
  bool null_kernels = false;
};

class PlainExecutable : public Executable {
 public:
  // The package belongs to this session alone, and stays. kBudgetInfeasible
  // when its weights alone exceed the memory.
  static Result<std::unique_ptr<Executable>> Create(
      Package* package, const KernelSite& site, ThreadPool* pool,
      const PlainOptions& options);

  Status RunInto(std::span<const Value> inputs, std::vector<Value>* outputs,
                 const RunLimits& limits) override;
  void Observe(StepObserver* observer) override;
  GraphRunner* program() override { return runner_.get(); }
  bool calibrating() const override { return calibration_ != nullptr; }

 private:
  PlainExecutable(Package* package, const KernelSite& site, ThreadPool* pool,
                  const PlainOptions& options);
  // Calibration or program, for the first run.
  Status Prepare();
  // Bounds by what weights may grow for speed.
  Status LimitWeights();
  // Makes the program that runs from now on; `ranges` may be null.
  Status Bind(const ActivationRanges* ranges);
  void Release(ValueId id);
  // Nothing is called int8 that is not: the integer program answers from the
  // last run of the calibration on.
  Status RunAndCalibrate(std::span<const Value> inputs,
                         std::vector<Value>* outputs, const RunLimits& limits);

  Package* const package_;
  KernelSite site_;
  ThreadPool* const pool_;
  const PlainOptions options_;
  PlainWeights weights_;
  StepObserver* observer_ = nullptr;
  int calibration_runs_;          // left to do
  std::unique_ptr<Graph> graph_;  // lowered for this machine
  std::unique_ptr<GraphRunner> runner_;
  // Until the ranges that a model needs are known; there is no runner yet.
  std::unique_ptr<Calibration> calibration_;
};

}  // namespace stint
