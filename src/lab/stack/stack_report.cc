#include "lab/stack/stack_report.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/meter/rank_tests.h"
#include "core/meter/statistics.h"
#include "lab/stack/alike_points.h"

namespace stint {
namespace {

constexpr char kTime[] = "run_ms_p50";
constexpr char kAccuracy[] = "value";
// A winner that is ahead by less is one only by chance.
constexpr double kClearlyFaster = 1.05;
constexpr size_t kSlowerLayers = 3;

// A fact of one round; rounds with others are named once each.
void TakeFact(const Outcome& outcome, const char* name, std::string* text) {
  const auto fact = outcome.facts.find(name);
  if (fact == outcome.facts.end() ||
      text->find(fact->second) != std::string::npos) {
    return;
  }
  *text += (text->empty() ? "" : "; ") + fact->second;
}

// Counts the rounds of the row in `report`, too.
Result<StackRow> ReadRow(const Study& study, int64_t id, Point point,
                         StudyDatabase* database, StackReport* report) {
  StackRow row;
  row.setting = point.condition;
  row.setting.insert(row.setting.end(), point.treatment.begin(),
                     point.treatment.end());
  std::map<std::string, std::vector<double>> samples;
  for (point.round = 1; point.round <= study.rounds; ++point.round) {
    const auto found = database->Find(id, point);
    if (found.status().code() == StatusCode::kNotFound) continue;
    STINT_ASSIGN_OR_RETURN(const Outcome outcome, found);
    if (row.status.empty() || !outcome.ok()) {
      row.status = outcome.status;
      row.reason = outcome.reason;
    }
    TakeFact(outcome, kDeviceFact, &row.device);
    TakeFact(outcome, kAlikeFact, &row.alike);
    if (outcome.ok() || outcome.emulated()) {
      ++(outcome.facts.contains(kAlikeFact) ? report->taken_over
                                            : report->evaluated);
    }
    for (const auto& [name, values] : outcome.samples) {
      auto& all = samples[name];
      all.insert(all.end(), values.begin(), values.end());
    }
  }
  for (const auto& [name, values] : samples) {
    row.figures[name] = Median(values);
  }
  return row;
}

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
  return row.ok() && row.Figure(kTime) && row.Figure(kAccuracy);
}

bool Beats(const StackRow& a, const StackRow& b) {
  const double time_a = *a.Figure(kTime), time_b = *b.Figure(kTime);
  const double right_a = *a.Figure(kAccuracy), right_b = *b.Figure(kAccuracy);
  return time_a <= time_b && right_a >= right_b &&
         (time_a < time_b || right_a > right_b);
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

// The fastest value of an axis among rows that agree in the rest; nothing when
// it is not clearly ahead of the second.
std::optional<std::string> Winner(const std::vector<const StackRow*>& rows,
                                  const std::string& axis) {
  const StackRow* best = nullptr;
  const StackRow* second = nullptr;
  for (const StackRow* row : rows) {
    if (best == nullptr || *row->Figure(kTime) < *best->Figure(kTime)) {
      second = best;
      best = row;
    } else if (second == nullptr ||
               *row->Figure(kTime) < *second->Figure(kTime)) {
      second = row;
    }
  }
  if (second == nullptr ||
      *second->Figure(kTime) < kClearlyFaster * *best->Figure(kTime)) {
    return std::nullopt;
  }
  return best->Value(axis);
}

// How the fastest value of `axis` changes along `other`.
void FindFlips(const std::string& axis, const std::string& other,
               StackReport* report) {
  std::map<Setting, std::map<std::string, std::vector<const StackRow*>>> groups;
  for (const StackRow& row : report->rows) {
    // What is chosen by speed is no value of its own.
    if (!HasBoth(row) || row.Value(axis) == "auto") continue;
    groups[Without(row.setting, {axis, other})][row.Value(other)].push_back(
        &row);
  }
  for (const auto& [fixed, values] : groups) {
    std::string from, winner_from;
    for (const auto& [value, rows] : values) {
      const auto winner = Winner(rows, axis);
      if (!winner) continue;
      if (!winner_from.empty() && *winner != winner_from) {
        report->flips.push_back(
            {axis, other, fixed, from, winner_from, value, *winner});
      }
      from = value;
      winner_from = *winner;
    }
  }
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
    if (best == nullptr || *row.Figure(kTime) < *best->Figure(kTime)) {
      best = &row;
    }
  }
  return best;
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
    speedup.achieved = *before->Figure(kTime) / *after->Figure(kTime);
    speedup.accuracy_change =
        *after->Figure(kAccuracy) - *before->Figure(kAccuracy);
    if (speedup.achieved < 1) {
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
      {kTime, "time"}};
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
  FindPareto(report);
  for (const char* axis : {"primitive", "compression", "code"}) {
    for (const char* other :
         {"model", "compression", "primitive", "code", "compute"}) {
      if (std::string(axis) != other) FindFlips(axis, other, report);
    }
  }
  FindSpeedups(report);
  for (const char* figure : {"model_bytes", "nonzeros", "macs", kAccuracy}) {
    Correlate(figure, kTime, report);
  }
  for (const char* figure : {"model_bytes", "macs"}) {
    Correlate(figure, kAccuracy, report);
  }
}

Result<StackReport> MakeStackReport(const Study& study,
                                    StudyDatabase* database) {
  STINT_ASSIGN_OR_RETURN(const int64_t id, database->StudyId(study));
  StackReport report;
  for (const Setting& condition : study.conditions) {
    for (const Setting& treatment : study.treatments) {
      STINT_ASSIGN_OR_RETURN(
          StackRow row,
          ReadRow(study, id, {0, condition, treatment}, database, &report));
      if (row.status.empty()) continue;
      if (!row.device.empty())
        report.devices[row.Value("compute")] = row.device;
      report.rows.push_back(std::move(row));
    }
  }
  AnalyzeStack(&report);
  return report;
}

}  // namespace stint
