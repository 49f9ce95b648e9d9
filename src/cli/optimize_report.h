#pragma once
// What `stint optimize` found, for people and for programs.

#include "cli/command.h"
#include "lab/optimize/optimize.h"

namespace stint::cli {

Json OptimizeJson(const OptimizeReport& report);
void PrintOptimizeTable(const OptimizeReport& report);

}  // namespace stint::cli
