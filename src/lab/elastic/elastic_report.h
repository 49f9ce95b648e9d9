#pragma once
// The figures of an elastic study: a row per point, what each policy reaches
// over the grid, and whether ours is ever worse than another.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/study/run_study.h"

namespace stint {

// The policy that the others are compared with.
inline constexpr char kOurPolicy[] = "elastic";
// File of an outcome: one character per row, '1' where the answer was right.
inline constexpr char kRightFile[] = "right";

// One policy under one condition (model, storage, compute, memory, latency).
struct ElasticRow {
  Setting condition;
  std::string policy;
  std::string status;  // "ok", "infeasible", or what went wrong
  std::string reason;
  // Samples of EvalOutcome by name: medians over the rounds, of peak_rss_bytes
  // the largest.
  std::map<std::string, double> figures;
  std::string right;  // of the first round: '1' for each row that was right

  bool ok() const { return status == "ok"; }
  std::optional<double> Figure(const std::string& name) const;
};

// One policy over the whole grid.
struct PolicySummary {
  std::string policy;
  // Where there is no answer, that of a coin counts: 0.5 for accuracy, 0 for
  // correlations.
  double mean_value = 0;
  int64_t feasible = 0;
  int64_t infeasible = 0;
  int64_t failed = 0;
  // Medians of |predicted - measured| / measured; NaN without a measurement.
  double latency_error_p50 = 0;
  double latency_error_p95 = 0;
  int64_t over_memory = 0;  // points whose peak exceeded the budget
  int64_t with_memory = 0;  // of so many that had one and an answer
};

// Where another policy does better than ours.
struct ElasticDeficit {
  Setting condition;
  std::string other;
  double ours = 0;  // value; NaN when infeasible
  double others = 0;
  double p = 1;  // of McNemar's test, adjusted by Holm over all conditions
};

struct ElasticReport {
  StudyCount count;    // evaluations that points share count when they failed
  std::string metric;  // "accuracy"; empty when no point has an answer
  std::vector<ElasticRow> rows;  // conditions in order, then policies
  std::vector<PolicySummary> policies;
  // Ours has no answer, another has; the best of the others is named.
  std::vector<ElasticDeficit> only_others;
  // The best of the others has more rows right, and p < 0.05.
  std::vector<ElasticDeficit> significantly_worse;
  int64_t compared = 0;  // conditions in which both have per-row results
  // Where the best of the others is more than 0.02 below the best value that
  // the model reaches anywhere: how much better ours is, on average; NaN when
  // there is no such condition.
  double gain_where_hard = 0;
  int64_t hard_conditions = 0;
};

Result<ElasticReport> MakeElasticReport(const Study& study,
                                        StudyDatabase* database);

}  // namespace stint
