#pragma once
// A plan for people: per layer what is read when, and a timeline.

#include <string>
#include <vector>

#include "stint/budget.h"

namespace stint::cli {

double MeanBitsOf(const std::vector<int>& bits);
// "4", or "2-5 (3.2)" where slices differ.
std::string BitsCell(const std::vector<int>& bits);
std::string PlanTable(const PlanReport& plan);

}  // namespace stint::cli
