#pragma once
// A plan for people: per layer what is read when, and a timeline.

#include <string>
#include <vector>

#include "cli/options/run_options.h"
#include "stint/budget.h"

namespace stint::cli {

double MeanBitsOf(const std::vector<int>& bits);
// "4", or "2-5 (3.2)" where slices differ.
std::string BitsCell(const std::vector<int>& bits);
std::string PlanTable(const PlanReport& plan);
// What the process takes besides weights, item by item.
Json MemoryJson(const PlanReport& plan);
std::string MemoryTable(const PlanReport& plan);

}  // namespace stint::cli
