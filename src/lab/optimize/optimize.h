#pragma once
// Which combination of precision, sparsity, channels, primitive and schedule,
// layer by layer, is fastest on this machine at an accuracy that a user asks
// for.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "convert/evaluate/evaluate_data.h"
#include "lab/optimize/measure_costs.h"
#include "lab/optimize/optimize_row.h"
#include "stint/compress.h"
#include "stint/session.h"

namespace stint {

struct OptimizeOptions {
  double min_accuracy = 0;           // in [0, 1]
  std::optional<double> max_ms;      // of a run on one row
  std::optional<int64_t> max_bytes;  // of the file
  // Of a process that runs one row; `peak_memory` measures it.
  std::optional<int64_t> max_peak_bytes;
  std::function<Result<int64_t>(const Model& model,
                                const std::string& precision,
                                const std::vector<Value>& row)>
      peak_memory;
  EvalOptions eval;             // accuracy is measured on this
  CalibrationData calibration;  // repair, ranges, losses
  std::optional<Preprocessing> preprocessing;
  int64_t work_memory_bytes = 0;  // as CompressOptions::memory_bytes
  CostOptions costs;
  // Finds primitives and schedules for a fused model within a share of the time
  // that there is for it; sessions made later use them. Empty: they stay as
  // they were measured before.
  std::function<Status(const Model& fused, const std::vector<Value>& row,
                       double share)>
      tune;
  double timing_seconds = 5;  // of all that is compared, together
  std::function<void(const std::string& phase, int64_t done, int64_t total)>
      progress;
};

struct OptimizeReport {
  std::vector<OptimizeRow> rows;    // by time
  std::optional<size_t> best;       // the fastest that fails nothing
  std::optional<Model> model;       // of the best, as it can be exported
  std::vector<StepChoice> kernels;  // that run it
  int64_t layers = 0;
  NetworkCosts costs;     // what the combinations were made from
  int not_evaluated = 0;  // plain prunings that are clearly slower than int8
};

// `model` must have been imported without optimize.
Result<OptimizeReport> Optimize(const Model& model,
                                const OptimizeOptions& options,
                                const Runtime& runtime);

}  // namespace stint
