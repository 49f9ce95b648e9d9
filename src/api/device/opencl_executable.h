#pragma once
// Runs a whole model on an OpenCL device, in float32.

#include <memory>
#include <string>

#include "api/device/plain_weights.h"
#include "engine/opencl/opencl_runner.h"
#include "engine/run/executable.h"

namespace stint {

class OpenClExecutable : public Executable {
 public:
  // The package belongs to this session alone, and stays. `device` is
  // "opencl:N"; compiled programs are kept in `cache_folder`.
  static Result<std::unique_ptr<Executable>> Create(
      Package* package, const KernelSite& site, ThreadPool* pool,
      const std::string& device, const std::string& cache_folder);

  Status RunInto(std::span<const Value> inputs, std::vector<Value>* outputs,
                 const RunLimits& limits) override {
    return runner_->RunInto(inputs, outputs, limits);
  }
  void Observe(StepObserver* observer) override {
    runner_->set_observer(observer);
  }

 private:
  explicit OpenClExecutable(Package* package) : weights_(package) {}

  PlainWeights weights_;
  std::unique_ptr<OpenClRunner> runner_;
};

}  // namespace stint
