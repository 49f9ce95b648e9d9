#pragma once
// Reports of studies as the JSON that their commands print.

#include <vector>

#include "lab/optimize/optimize.h"
#include "lab/record/json_fields.h"
#include "lab/report/sections.h"

namespace stint {

Json BenchJson(const BenchReport& report);
Json TaxJson(const TaxReport& report);
Json EnergyStudyJson(const EnergyStudyReport& report);
Json ElasticJson(const ElasticReport& report);
Json StackJson(const StackReport& report);
Json OptimizeJson(const OptimizeReport& report);

// Rows as objects, with the columns as keys; whole numbers as integers.
Json RowsJson(const Table& table);
Json ValueJson(const TableCell& cell);

Json SettingJson(const Setting& setting);
// `value`, `low`, `high`; null for nothing.
Json EstimateJson(const std::optional<Estimate>& estimate);
// `points`, `done`, `failed`.
Json CountJson(const StudyCount& count);

// Adds `ratio`, `ratio_low`, `ratio_high`, `resolution` (null where the
// interval is not known), `verdict` (quiet, noisy, unknown) and `too_noisy`
// (not quiet).
void AddNoise(const NoiseRatio& noise, Json* json);
// A list with `condition` and the keys of AddNoise.
Json NoiseListJson(const std::vector<NoiseRatio>& noise);

}  // namespace stint
