#pragma once
// What an energy study says: a row per runtime and condition with its rank, and
// whether the runtimes differ by more than chance.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/meter/rank_tests.h"
#include "core/meter/statistics.h"
#include "lab/study/paired_rounds.h"
#include "lab/study/run_study.h"

namespace stint {

// One runtime under one condition. Figures are medians over processes; those of
// energy are per inference (an item of the batch), empty without a meter.
struct EnergyRow {
  Setting condition;
  std::string runtime;
  std::string version;
  std::string status;
  std::string reason;
  std::string grade;
  std::string source;
  std::optional<Estimate> run_ms;
  std::optional<Estimate> ratio_to_stint;  // of run_ms, by pairs of rounds
  std::optional<double> cpu_ms;
  std::optional<double> gross_joules, net_joules, mean_watts;
  std::optional<int> rank;       // by the report's metric, 1 is least
  double normality_p = 1;        // Shapiro-Wilk over processes; NaN: too few
  std::vector<double> compared;  // the metric, a value per process

  bool ok() const { return status == "ok" && run_ms.has_value(); }
};

// Two runtimes under one condition.
struct EnergyPair {
  Setting condition;
  std::string a, b;
  double p = 1;      // Mann-Whitney, adjusted by Holm within the condition
  double delta = 0;  // Cliff's, positive when `a` takes more
};

struct EnergyStudyReport {
  StudyCount count;
  // "net_joules" when every row that ran was measured with one grade of A to C,
  // else "cpu_ms": no joule was measured, or they cannot be compared.
  std::string metric;
  std::string note;
  std::vector<EnergyRow> rows;
  std::vector<EnergyPair> pairs;
  // Kruskal-Wallis over all runtimes of a condition, by ToString(condition).
  std::map<std::string, TestResult> differences;
  // stint against itself: one per condition that could be measured.
  std::vector<NoiseRatio> noise;
  // Spearman of the metric with time over all rows.
  double metric_with_time = 0;
};

Result<EnergyStudyReport> MakeEnergyStudyReport(const Study& study,
                                                StudyDatabase* database);

}  // namespace stint
