#include "cli/precision_report.h"

#include <cstdio>

namespace stint::cli {

Json TrialsJson(const std::vector<PrecisionTrial>& trials) {
  Json list = Json::array();
  for (const PrecisionTrial& trial : trials) {
    list.push_back({{"precision", trial.precision},
                    {"run_ms", trial.run_ms},
                    {"error", trial.error},
                    {"reason", trial.reason}});
  }
  return list;
}

void PrintTrials(const std::vector<PrecisionTrial>& trials) {
  for (const PrecisionTrial& trial : trials) {
    std::fprintf(stderr, "precision %s: ", trial.precision.c_str());
    if (trial.run_ms > 0) {
      std::fprintf(stderr, "%s, differs by %.2g %%, ",
                   FormatMs(trial.run_ms).c_str(), trial.error * 100);
    }
    std::fprintf(stderr, "%s\n",
                 trial.reason.empty() ? "chosen" : trial.reason.c_str());
  }
}

}  // namespace stint::cli
