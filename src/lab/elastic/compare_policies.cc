#include "lab/elastic/compare_policies.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/base/quantity.h"
#include "core/meter/statistics.h"

namespace stint {
namespace {

constexpr double kLevel = 0.05;
constexpr double kHardMargin = 0.02;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Ours and the best other that has an answer; null where there is none.
struct Pair {
  const ElasticRow* ours = nullptr;
  const ElasticRow* best = nullptr;
  const ElasticRow* any = nullptr;  // of the condition
};

double Score(const ElasticRow* row, double otherwise) {
  return row != nullptr && row->ok() ? row->Figure("value").value_or(otherwise)
                                     : otherwise;
}

// Rows of one condition stand together.
std::vector<Pair> PairUp(const std::vector<ElasticRow>& rows) {
  std::vector<Pair> pairs;
  for (const ElasticRow& row : rows) {
    if (pairs.empty() || pairs.back().any->condition != row.condition) {
      pairs.push_back({nullptr, nullptr, &row});
    }
    Pair& pair = pairs.back();
    if (row.policy == kOurPolicy) {
      pair.ours = &row;
    } else if (row.ok() && Score(&row, -1) > Score(pair.best, -1)) {
      pair.best = &row;
    }
  }
  return pairs;
}

double RelativeError(const ElasticRow& row, const char* measured) {
  return std::abs(row.Figure("predicted_ms").value_or(kNan) /
                      row.Figure(measured).value_or(kNan) -
                  1);
}

double MedianError(std::span<const ElasticRow* const> rows,
                   const char* measured) {
  std::vector<double> errors;
  for (const ElasticRow* row : rows) {
    const double error = RelativeError(*row, measured);
    if (std::isfinite(error)) errors.push_back(error);
  }
  return Median(errors);
}

void CountMemory(const ElasticRow& row, PolicySummary* summary) {
  const auto budget = ParseBytes(ValueOf(row.condition, "memory"));
  const auto peak = row.Figure("peak_rss_bytes");
  if (!budget.ok() || !peak) return;
  ++summary->with_memory;
  summary->over_memory += *peak > static_cast<double>(*budget);
}

// Rows that only one of two got right.
struct Disagreement {
  int64_t ours = 0;
  int64_t others = 0;
};

Disagreement Disagree(const Pair& pair) {
  Disagreement only;
  for (size_t i = 0; i < pair.ours->right.size(); ++i) {
    only.ours += pair.ours->right[i] > pair.best->right[i];
    only.others += pair.ours->right[i] < pair.best->right[i];
  }
  return only;
}

bool Comparable(const Pair& pair) {
  return pair.ours != nullptr && pair.best != nullptr && pair.ours->ok() &&
         !pair.ours->right.empty() &&
         pair.ours->right.size() == pair.best->right.size();
}

void TestDifferences(const std::vector<Pair>& pairs, ElasticReport* report) {
  std::vector<double> p_values;
  std::vector<ElasticDeficit> deficits;
  std::vector<bool> worse;
  for (const Pair& pair : pairs) {
    if (!Comparable(pair)) continue;
    const Disagreement only = Disagree(pair);
    p_values.push_back(McNemarP(only.ours, only.others));
    worse.push_back(only.others > only.ours);
    deficits.push_back({pair.ours->condition, pair.best->policy,
                        Score(pair.ours, kNan), Score(pair.best, kNan), 1});
  }
  report->compared = static_cast<int64_t>(p_values.size());
  const std::vector<double> adjusted = HolmAdjusted(p_values);
  for (size_t i = 0; i < deficits.size(); ++i) {
    deficits[i].p = adjusted[i];
    if (worse[i] && adjusted[i] < kLevel) {
      report->significantly_worse.push_back(deficits[i]);
    }
  }
}

void MeasureGain(const std::vector<Pair>& pairs, ElasticReport* report) {
  const double chance = ChanceValue(report->metric);
  std::map<std::string, double> most;  // by model
  for (const ElasticRow& row : report->rows) {
    double& best = most[ValueOf(row.condition, "model")];
    best = std::max(best, Score(&row, 0));
  }
  std::vector<double> gains;
  for (const Pair& pair : pairs) {
    const double others = Score(pair.best, chance);
    const bool answered = pair.best != nullptr || Score(pair.ours, -1) >= 0;
    if (answered &&
        others < most[ValueOf(pair.any->condition, "model")] - kHardMargin) {
      gains.push_back(Score(pair.ours, chance) - others);
    }
  }
  report->hard_conditions = static_cast<int64_t>(gains.size());
  report->gain_where_hard = Mean(gains);
}

}  // namespace

double ChanceValue(const std::string& metric) {
  return metric.empty() || metric == "accuracy" ? 0.5 : 0;
}

PolicySummary SummarizePolicy(const ElasticReport& report,
                              const std::string& policy) {
  PolicySummary summary;
  summary.policy = policy;
  std::vector<double> values;
  std::vector<const ElasticRow*> answered;
  for (const ElasticRow& row : report.rows) {
    if (row.policy != policy) continue;
    values.push_back(Score(&row, ChanceValue(report.metric)));
    if (row.ok()) {
      ++summary.feasible;
      answered.push_back(&row);
      CountMemory(row, &summary);
    } else {
      ++(row.status == "infeasible" ? summary.infeasible : summary.failed);
    }
  }
  summary.mean_value = Mean(values);
  summary.latency_error_p50 = MedianError(answered, "run_ms_p50");
  summary.latency_error_p95 = MedianError(answered, "run_ms_p95");
  return summary;
}

void ComparePolicies(ElasticReport* report) {
  const std::vector<Pair> pairs = PairUp(report->rows);
  report->gain_where_hard = kNan;
  const bool alone = report->policies.size() < 2;
  if (alone || pairs.empty() || pairs.front().ours == nullptr) return;
  for (const Pair& pair : pairs) {
    if (pair.ours == nullptr || pair.ours->ok() || pair.best == nullptr) {
      continue;
    }
    report->only_others.push_back({pair.ours->condition, pair.best->policy,
                                   kNan, Score(pair.best, kNan), 1});
  }
  TestDifferences(pairs, report);
  MeasureGain(pairs, report);
}

}  // namespace stint
