#pragma once
// Measures what each way to compute each layer of a model costs on this
// machine, each alone in an otherwise unchanged network; fewer channels in one
// that is in int8 where that is faster.

#include <functional>

#include "lab/optimize/network_costs.h"
#include "stint/runtime.h"

namespace stint {

struct CostOptions {
  // Shares of zeros, in blocks of 4 outputs, and of channels that are tried.
  std::vector<double> zeros = {0.6, 0.8};
  // 1: the branch of a residual network that makes them.
  std::vector<double> channels = {0.125, 0.25, 0.375, 0.5, 0.75, 1};
  // Numbers of channels that stay are a multiple of this: int8 kernels read 4
  // at once. What is no faster is never chosen.
  int64_t channel_multiple = 4;
  // Layers behind a change that are fitted before its loss is measured. All of
  // them would take a deep network hours.
  int repair_reach = 3;
  std::function<void(int64_t done, int64_t total)> progress;
};

struct MeasuredCosts {
  NetworkCosts fp32;
  NetworkCosts bf16;  // without layers where this machine gains nothing
};

// What single changes are tried by: repaired on the samples of one, timed on
// those of the other, which may be few. Answers are judged on samples that no
// repair has seen: on its own, one looks better than it is.
struct CostCompressors {
  Compressor* repairs = nullptr;
  Compressor* times = nullptr;
  std::vector<std::vector<Value>> judged;
};

// kUnsupported when the model has no convolution, or no data.
Result<MeasuredCosts> MeasureCosts(const CostOptions& options,
                                   const Runtime& runtime,
                                   const CostCompressors& compressors);

}  // namespace stint
