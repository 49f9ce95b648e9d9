#pragma once
// stint device --tune: times the primitives of a model's convolutions.

#include <cstdint>
#include <string>

#include "cli/options/run_options.h"

namespace stint::cli {

struct TuneRequest {
  std::string model;  // empty: none
  int64_t batch = 1;
};

// Measures, keeps the times and prints one row per layer.
int TuneModel(const TuneRequest& request, const RunOptions& run);

}  // namespace stint::cli
