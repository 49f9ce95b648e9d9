#pragma once
// --energy-report of run, eval and bench: what the work took, and how that is
// known.

#include <string>
#include <vector>

#include "cli/options/run_options.h"
#include "core/base/function_ref.h"
#include "core/meter/energy/energy_recorder.h"

namespace stint::cli {

struct EnergyFlags {
  bool report = false;
  std::string log;            // of a meter outside of the machine
  double watts_per_core = 0;  // 0: nothing is modeled

  void AddTo(CLI::App* app);
  // Only which meter to use, for commands that always measure.
  std::vector<CLI::Option*> AddMeterTo(CLI::App* app);
  EnergyOptions Options() const;

  // Energy of `work`, which answers with how often it ran, between two idle
  // blocks; null when no report was asked for (the work is done all the same).
  Result<Json> Measure(FunctionRef<Result<int64_t>()> work) const;
};

Json EnergyJson(const EnergyReport& report, int64_t runs);
// For people; nothing for null.
void PrintEnergy(const Json& energy);

}  // namespace stint::cli
