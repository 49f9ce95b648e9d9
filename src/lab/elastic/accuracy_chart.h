#pragma once
// An elastic study as a picture: accuracy against the latency budget.

#include <string>

#include "lab/elastic/elastic_report.h"

namespace stint {

// SVG: a row of panels for each model, storage and compute, a panel for each
// memory budget, in it a curve for each policy that has an answer there. Where
// a policy does not fit, its curve has no point.
std::string AccuracyChart(const ElasticReport& report);

}  // namespace stint
