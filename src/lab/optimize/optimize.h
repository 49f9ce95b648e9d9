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
  CostOptions costs;
  // Finds primitives and schedules for a fused model, which sessions made later
  // use; empty: they stay as they were measured before.
  std::function<Status(const Model& fused, const std::vector<Value>& row)> tune;
  double timing_seconds = 5;  // of all that is compared, together
  std::function<void(const std::string& phase, int64_t done, int64_t total)>
      progress;
};

// A model that was tried.
struct OptimizeRow {
  std::string name;       // "fp32", "int8", "4x1:50%"; "mix 3" for combinations
  bool plain = false;     // one thing done to all layers, to compare with
  std::string precision;  // to run it in
  CompressOptions compress;
  double accuracy = 0;
  double ms = 0;
  int64_t bytes = 0;             // of its ONNX file
  int64_t peak_bytes = 0;        // of a process that runs it; 0: not measured
  double predicted_ms = 0;       // for combinations
  std::string fails;             // which limit it misses; empty: none
  bool pareto = false;           // nothing is both faster and as accurate
  std::string Describe() const;  // "int8 12 layers, 4x1:60% 2, channels 3"
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
