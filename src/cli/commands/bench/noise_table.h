#pragma once
// The A/A rows of comparisons, for people and as JSON.

#include "cli/options/run_options.h"
#include "lab/study/paired_rounds.h"

namespace stint::cli {

void PrintNoise(const NoiseRatio& noise);

// Adds `ratio`, `ratio_low`, `ratio_high`, `resolution` (null where the
// interval is not known), `verdict` (quiet, noisy, unknown) and `too_noisy`
// (not quiet).
void AddNoise(const NoiseRatio& noise, Json* json);

// A list with `condition` and the keys of AddNoise.
Json NoiseListJson(const std::vector<NoiseRatio>& noise);

}  // namespace stint::cli
