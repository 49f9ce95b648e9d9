#pragma once
// A plan for people: per layer what is read when, and a timeline.

#include <string>

#include "stint/budget.h"

namespace stint::cli {

std::string PlanTable(const PlanReport& plan);

}  // namespace stint::cli
