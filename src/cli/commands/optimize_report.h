#pragma once
// What `stint optimize` found, for people and for programs.

#include "cli/options/run_options.h"
#include "lab/optimize/optimize.h"

namespace stint::cli {

Json OptimizeJson(const OptimizeReport& report);
void PrintOptimizeTable(const OptimizeReport& report);

}  // namespace stint::cli
