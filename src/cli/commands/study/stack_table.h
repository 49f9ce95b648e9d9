#pragma once
// A study across the stack, for people and for programs.

#include <string>

#include "cli/options/run_options.h"
#include "lab/stack/stack_report.h"

namespace stint::cli {

Json StackJson(const StackReport& report);
std::string StackTable(const StackReport& report);

}  // namespace stint::cli
