#pragma once
// What precision "auto" tried and why it chose what it did.

#include <vector>

#include "cli/options/run_options.h"

namespace stint::cli {

Json TrialsJson(const std::vector<PrecisionTrial>& trials);
// A line per precision on stderr.
void PrintTrials(const std::vector<PrecisionTrial>& trials);

}  // namespace stint::cli
