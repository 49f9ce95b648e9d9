#include "lab/stack/stack_report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/meter/rank_tests.h"
#include "lab/stack/find_flips.h"
#include "lab/study/paired_rounds.h"

namespace stint {
namespace {

constexpr char kAccuracy[] = "value";
constexpr size_t kSlowerLayers = 3;

// The setting without one of its axes.
Setting Without(const Setting& setting, const std::set<std::string>& axes) {
  Setting rest;
  for (const auto& entry : setting) {
    if (!axes.contains(entry.first)) rest.push_back(entry);
  }
  return rest;
}

const std::set<std::string> kTreatment = {"compression", "primitive", "code"};

bool HasBoth(const StackRow& row) {
  return row.ok() && row.Figure(kTimeFigure) && row.Figure(kAccuracy);
}

bool Beats(const StackRow& a, const StackRow& b) {
  const double time_a = *a.Figure(kTimeFigure), time_b = *b.Figure(kTimeFigure);
  const double right_a = *a.Figure(kAccuracy), right_b = *b.Figure(kAccuracy);
  return time_a <= time_b && right_a >= right_b &&
         (time_a < time_b || right_a > right_b);
}

// The first row of those that run alike, of one with times if there is one.
void FindTimedRows(StackReport* report) {
  std::map<std::pair<Setting, std::string>, size_t> first;
  for (size_t i = 0; i < report->rows.size(); ++i) {
    StackRow& row = report->rows[i];
    row.timed_row = i;
    if (!row.ok() || row.kernels.empty()) continue;
    const auto [entry, fresh] = first.try_emplace(
        {Without(row.setting, {"primitive", "code"}), row.kernels}, i);
    if (report->rows[entry->second].times.size() < row.times.size()) {
      entry->second = i;
    }
  }
  for (StackRow& row : report->rows) {
    if (!row.ok() || row.kernels.empty()) continue;
    row.timed_row =
        first.at({Without(row.setting, {"primitive", "code"}), row.kernels});
  }
}

// Times of one kind only: blocks where the study has them.
void SetTimes(StackReport* report) {
  for (StackRow& row : report->rows) {
    const auto& times = report->rows[row.timed_row].times;
    const bool has_blocks = report->timing_rounds > 0;
    if (!row.ok()) continue;
    std::vector<double> all;
    for (const auto& [round, ms] : times) {
      if (!has_blocks || round > 1) all.push_back(ms);
    }
    if (!all.empty()) row.figures[kTimeFigure] = Median(all);
  }
}

void FindPareto(StackReport* report) {
  // By model and compute: rows that can beat each other.
  std::map<Setting, std::vector<size_t>> places;
  for (size_t i = 0; i < report->rows.size(); ++i) {
    const StackRow& row = report->rows[i];
    if (HasBoth(row)) places[Without(row.setting, kTreatment)].push_back(i);
  }
  for (const auto& [place, rows] : places) {
    for (const size_t i : rows) {
      const bool beaten =
          std::any_of(rows.begin(), rows.end(), [&](size_t other) {
            return Beats(report->rows[other], report->rows[i]);
          });
      if (!beaten) report->pareto.push_back(i);
    }
  }
  std::sort(report->pareto.begin(), report->pareto.end());
}

const StackRow* Fastest(const StackReport& report, const StackRow& like,
                        const std::string& compression) {
  const StackRow* best = nullptr;
  for (const StackRow& row : report.rows) {
    if (!HasBoth(row) || row.Value("model") != like.Value("model") ||
        row.Value("compute") != like.Value("compute") ||
        row.Value("compression") != compression) {
      continue;
    }
    if (best == nullptr ||
        *row.Figure(kTimeFigure) < *best->Figure(kTimeFigure)) {
      best = &row;
    }
  }
  return best;
}

// By the rounds that both have; without an interval where there are none.
Estimate Achieved(const StackReport& report, const StackRow& before,
                  const StackRow& after) {
  const auto ratio = RatioByRound(report.rows[before.timed_row].times,
                                  report.rows[after.timed_row].times);
  if (ratio) return *ratio;
  return {*before.Figure(kTimeFigure) / *after.Figure(kTimeFigure), 0,
          std::numeric_limits<double>::infinity()};
}

void FindSpeedups(StackReport* report) {
  std::set<Setting> seen;
  for (const StackRow& row : report->rows) {
    const std::string compression = row.Value("compression");
    if (!HasBoth(row) || compression == "none" ||
        !seen.insert(Without(row.setting, {"primitive", "code"})).second) {
      continue;
    }
    const StackRow* before = Fastest(*report, row, "none");
    const StackRow* after = Fastest(*report, row, compression);
    if (before == nullptr || after == nullptr) continue;
    StackSpeedup speedup;
    speedup.model = row.Value("model");
    speedup.compute = row.Value("compute");
    speedup.compression = compression;
    const auto weights = after->Figure("nonzeros");
    const auto whole = after->Figure("parameters_before");
    if (weights && whole && *weights > 0) speedup.expected = *whole / *weights;
    speedup.achieved = Achieved(*report, *before, *after);
    speedup.accuracy_change =
        *after->Figure(kAccuracy) - *before->Figure(kAccuracy);
    if (speedup.slower_than_before()) {
      speedup.slower =
          FindSlowerLayers(before->figures, after->figures, kSlowerLayers);
    }
    report->speedups.push_back(std::move(speedup));
  }
}

void Correlate(const std::string& a, const std::string& b,
               StackReport* report) {
  constexpr size_t kLeastPoints = 3;
  struct Pairs {
    std::vector<double> a, b;
  };
  std::map<std::string, Pairs> computes;
  for (const StackRow& row : report->rows) {
    const auto left = row.Figure(a), right = row.Figure(b);
    if (!row.ok() || !left || !right) continue;
    Pairs& pairs = computes[row.Value("compute")];
    pairs.a.push_back(*left);
    pairs.b.push_back(*right);
  }
  for (const auto& [compute, pairs] : computes) {
    if (pairs.a.size() < kLeastPoints) continue;
    const double rho = Spearman(pairs.a, pairs.b);
    if (!std::isnan(rho)) report->correlations.push_back({compute, a, b, rho});
  }
}

// What a figure is called in sentences.
std::string PlainName(const std::string& figure) {
  static constexpr std::pair<const char*, const char*> kNames[] = {
      {"model_bytes", "size"},
      {"nonzeros", "weights left"},
      {"macs", "products"},
      {kAccuracy, "accuracy"},
      {kTimeFigure, "time"}};
  for (const auto& [name, plain] : kNames) {
    if (figure == name) return plain;
  }
  return figure;
}

}  // namespace

std::string StackCorrelation::Title() const {
  return "rank correlation of " + PlainName(a) + " and " + PlainName(b);
}

std::optional<double> StackRow::Figure(const std::string& name) const {
  const auto found = figures.find(name);
  if (found == figures.end()) return std::nullopt;
  return found->second;
}

void AnalyzeStack(StackReport* report) {
  FindTimedRows(report);
  SetTimes(report);
  FindPareto(report);
  FindFlips(report);
  FindSpeedups(report);
  for (const char* figure : {"model_bytes", "nonzeros", "macs", kAccuracy}) {
    Correlate(figure, kTimeFigure, report);
  }
  for (const char* figure : {"model_bytes", "macs"}) {
    Correlate(figure, kAccuracy, report);
  }
}

}  // namespace stint
