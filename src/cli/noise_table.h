#pragma once
// The A/A rows of comparisons, for people and as JSON.

#include "cli/command.h"
#include "lab/study/paired_rounds.h"

namespace stint::cli {

void PrintNoise(const NoiseRatio& noise);

// A list with `condition`, `ratio`, `ratio_low`, `ratio_high`, `too_noisy`.
Json NoiseListJson(const std::vector<NoiseRatio>& noise);

}  // namespace stint::cli
