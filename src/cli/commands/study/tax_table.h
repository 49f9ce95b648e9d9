#pragma once
// The report of a framework-tax study for people and for programs.

#include "cli/options/run_options.h"
#include "lab/tax/tax_report.h"

namespace stint::cli {

Json TaxJson(const TaxReport& report);
void PrintTaxTable(const TaxReport& report);

}  // namespace stint::cli
