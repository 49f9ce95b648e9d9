#pragma once
// The figures of a side-by-side run, from what its study recorded.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/meter/statistics.h"
#include "lab/study/paired_rounds.h"
#include "lab/study/study_database.h"

namespace stint {

// One runtime at one precision under one condition. Times are over all runs of
// all rounds; what a failed row could not measure is empty. The status is that
// of its points, or "unfinished" where the study did not get to them.
struct BenchRow {
  std::string runtime;
  std::string version;
  std::string precision;
  Setting condition;
  std::string status;
  std::string reason;
  int64_t rounds = 0;  // that were measured
  std::optional<double> load_ms, first_ms, start_ms, cold_ms;
  std::optional<double> p50_ms, p90_ms, p99_ms;
  std::optional<Estimate> round_ms;  // the median of the rounds' medians
  std::optional<double> mean_ms, mean_without_outliers_ms;
  int64_t outliers = 0;  // runs farther than 5 MAD from the median
  std::optional<double> cpu_ms, peak_rss_bytes;
  std::string note;  // ThreadsNote
  // Of the timed runs, per run: as EnergyReport has it. Empty without a meter.
  std::optional<double> gross_joules, net_joules, mean_watts;
  // Of half of the processes or more, net is not above 0 by two deviations.
  std::optional<bool> below_resolution;
  std::string energy_grade;
  // To the reference: largest |a - b|, and ||a - b|| / ||b||.
  std::optional<double> max_difference, relative_error;
  // Over the fastest correct fp32 peer under this condition, by pairs of the
  // medians of each round.
  std::optional<Estimate> ratio_to_best_peer;
};

struct BenchReport {
  std::vector<BenchRow> rows;
  // stint against itself: one per condition that could be measured.
  std::vector<NoiseRatio> noise;
};

// Reads every row of a study whose treatments are made by PeerTreatment.
Result<BenchReport> MakeBenchReport(const Study& study,
                                    StudyDatabase* database);

}  // namespace stint
