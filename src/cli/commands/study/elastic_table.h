#pragma once
// The report of an elastic study for people and for programs.

#include <string>

#include "cli/options/run_options.h"
#include "lab/elastic/elastic_report.h"

namespace stint::cli {

Json ElasticJson(const ElasticReport& report);
// A line per point, then the summary.
std::string ElasticTable(const ElasticReport& report);

}  // namespace stint::cli
