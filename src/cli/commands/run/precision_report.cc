#include "cli/commands/run/run_parts.h"

namespace stint::cli {

Json TrialsJson(const std::vector<PrecisionTrial>& trials) {
  Json list = Json::array();
  for (const PrecisionTrial& trial : trials) {
    list.push_back({{"precision", PrecisionName(trial.precision)},
                    {"run_ms", trial.run_ms},
                    {"error", trial.error},
                    {"reason", trial.reason}});
  }
  return list;
}

void PrintTrials(const std::vector<PrecisionTrial>& trials) {
  for (const PrecisionTrial& trial : trials) {
    PrintError("precision %s: ",
               std::string(PrecisionName(trial.precision)).c_str());
    if (trial.run_ms > 0) {
      PrintError("%s, differs by %.2g %%, ", FormatMs(trial.run_ms).c_str(),
                 trial.error * 100);
    }
    PrintError("%s\n", trial.reason.empty() ? "chosen" : trial.reason.c_str());
  }
}

}  // namespace stint::cli
