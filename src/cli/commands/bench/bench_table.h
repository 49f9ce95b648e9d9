#pragma once
// The report of `stint bench` for scripts and for people.

#include "cli/options/run_options.h"
#include "lab/bench/bench_report.h"

namespace stint::cli {

Json BenchJson(const BenchReport& report);
void PrintBenchTable(const BenchReport& report);

}  // namespace stint::cli
