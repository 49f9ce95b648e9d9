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
  std::string note;  // ThreadsNote
  std::optional<double> gross_joules, net_joules, mean_watts;
  // Of half of the processes or more, net is not above 0 by two deviations.
  std::optional<bool> below_resolution;
  // By the report's metric: 1 and how many others are proven to take less
  // (EnergyPair::proven). Nothing where no difference is proven in the
  // condition, and for net energy below resolution.
  std::optional<int> rank;
  double normality_p = 1;          // Shapiro-Wilk over processes; NaN: too few
  std::map<int, double> compared;  // the metric of a process, by round

  bool ok() const { return status == "ok" && run_ms.has_value(); }
};

// Two runtimes under one condition.
struct EnergyPair {
  Setting condition;
  std::string a, b;
  // Wilcoxon's signed-rank test over the rounds that both have, adjusted by
  // Holm within the condition. Nothing where these are fewer than needs_rounds:
  // no difference could be found.
  std::optional<double> p;
  int rounds = 0;
  int needs_rounds = 0;
  double delta = 0;  // Cliff's, positive when `a` takes more
  // -1 or 1 where `a` takes less or more: p is below kSignificant and the
  // interval of the ratio is farther from 1 than the A/A one of the metric.
  int proven = 0;
};

// What is called a difference.
inline constexpr double kSignificant = 0.05;

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
  // The same of the metric: what ranks are judged by.
  std::vector<NoiseRatio> metric_noise;
  // Spearman of the metric with time over all rows.
  double metric_with_time = 0;
};

// Why a condition has no ranks; empty where it has.
std::string WhyNoRanks(const EnergyStudyReport& report,
                       const Setting& condition);

Result<EnergyStudyReport> MakeEnergyStudyReport(const Study& study,
                                                StudyDatabase* database);

}  // namespace stint
