#pragma once
// The report of an energy study for people and for programs.

#include "cli/options/run_options.h"
#include "lab/energy/energy_report.h"

namespace stint::cli {

Json EnergyStudyJson(const EnergyStudyReport& report);
void PrintEnergyTable(const EnergyStudyReport& report);

}  // namespace stint::cli
