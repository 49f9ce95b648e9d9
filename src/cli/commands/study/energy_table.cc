#include "cli/commands/study/energy_table.h"

#include <cmath>
#include <cstdio>

#include "cli/commands/bench/noise_table.h"

namespace stint::cli {
namespace {

Json OrNull(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json ConditionJson(const Setting& condition) {
  Json json = Json::object();
  for (const auto& [axis, value] : condition) json[axis] = value;
  return json;
}

Json RowJson(const EnergyRow& row) {
  Json json = {{"condition", ConditionJson(row.condition)},
               {"runtime", row.runtime},
               {"version", row.version},
               {"status", row.status},
               {"reason", row.reason},
               {"note", row.note},
               {"energy_grade", row.grade},
               {"energy_source", row.source}};
  json["p50_ms"] = row.run_ms ? OrNull(row.run_ms->value) : Json(nullptr);
  json["p50_low_ms"] =
      row.run_ms ? OrNull(row.run_ms->KnownLow()) : Json(nullptr);
  json["p50_high_ms"] =
      row.run_ms ? OrNull(row.run_ms->KnownHigh()) : Json(nullptr);
  json["cpu_ms"] = OrNull(row.cpu_ms);
  json["gross_joules"] = OrNull(row.gross_joules);
  json["net_joules"] = OrNull(row.net_joules);
  json["mean_watts"] = OrNull(row.mean_watts);
  json["below_resolution"] =
      row.below_resolution ? Json(*row.below_resolution) : Json(nullptr);
  json["rank"] = row.rank ? Json(*row.rank) : Json(nullptr);
  json["shapiro_p"] = OrNull(row.normality_p);
  return json;
}

std::string Cell(const std::optional<double>& value, const char* format) {
  if (!value || !std::isfinite(*value)) return "-";
  char text[32];
  std::snprintf(text, sizeof(text), format, *value);
  return text;
}

void PrintRow(const EnergyRow& row) {
  Print("  %-22s", row.runtime.c_str());
  if (!row.ok()) {
    Print(" %s: %s\n", row.status.c_str(), row.reason.c_str());
    return;
  }
  Print(" %4s %10s %10s %9s %9s %7s  %s %9s\n",
        row.rank ? std::to_string(*row.rank).c_str() : "-",
        EstimateText(*row.run_ms, "%.3f").c_str(),
        Cell(row.cpu_ms, "%.3f").c_str(),
        Cell(row.gross_joules, "%.4g").c_str(),
        (Cell(row.net_joules, "%.4g") +
         (row.below_resolution.value_or(false) ? " (below resolution)" : ""))
            .c_str(),
        Cell(row.mean_watts, "%.1f").c_str(), row.grade.c_str(),
        Cell(row.normality_p, "%.3f").c_str());
  if (!row.note.empty()) Print("  %-22s note: %s\n", "", row.note.c_str());
}

void PrintCondition(const EnergyStudyReport& report, const Setting& condition) {
  for (const NoiseRatio& noise : report.noise) {
    if (noise.condition == condition) PrintNoise(noise);
  }
  const auto found = report.differences.find(ToString(condition));
  if (found == report.differences.end()) return;
  Print("  runtimes differ: Kruskal-Wallis H %.2f, p %.2g\n",
        found->second.statistic, found->second.p);
  int significant = 0, pairs = 0, large = 0, needs_rounds = 0;
  for (const EnergyPair& pair : report.pairs) {
    if (pair.condition != condition) continue;
    ++pairs;
    significant += pair.p && *pair.p < kSignificant ? 1 : 0;
    if (!pair.p) needs_rounds = pair.needs_rounds;
    large += std::string(CliffsDeltaWord(pair.delta)) == "large" ? 1 : 0;
  }
  if (needs_rounds > 0) {
    Print("  no test of the pairs: needs %d rounds", needs_rounds);
  } else {
    Print("  %d of %d pairs at 5 %% (Wilcoxon signed rank, Holm)", significant,
          pairs);
  }
  Print("; Cliff's delta is large in %d\n", large);
  const std::string why = WhyNoRanks(report, condition);
  if (!why.empty()) Print("  %s\n", why.c_str());
}

}  // namespace

Json EnergyStudyJson(const EnergyStudyReport& report) {
  Json json = {{"points", report.count.points},
               {"done", report.count.done},
               {"failed", report.count.failed},
               {"metric", report.metric},
               {"note", report.note},
               {"metric_with_time_spearman", OrNull(report.metric_with_time)}};
  json["noise"] = NoiseListJson(report.noise);
  json["metric_noise"] = NoiseListJson(report.metric_noise);
  json["rows"] = Json::array();
  for (const EnergyRow& row : report.rows) json["rows"].push_back(RowJson(row));
  json["pairs"] = Json::array();
  for (const EnergyPair& pair : report.pairs) {
    json["pairs"].push_back({{"condition", ConditionJson(pair.condition)},
                             {"a", pair.a},
                             {"b", pair.b},
                             {"p", OrNull(pair.p)},
                             {"rounds", pair.rounds},
                             {"needs_rounds", pair.needs_rounds},
                             {"proven", pair.proven},
                             {"cliffs_delta", pair.delta},
                             {"size", CliffsDeltaWord(pair.delta)}});
  }
  json["differences"] = Json::object();
  for (const auto& [condition, test] : report.differences) {
    json["differences"][condition] = {{"h", test.statistic}, {"p", test.p}};
  }
  return json;
}

void PrintEnergyTable(const EnergyStudyReport& report) {
  Setting condition;
  for (const EnergyRow& row : report.rows) {
    if (row.condition != condition) {
      if (!condition.empty()) PrintCondition(report, condition);
      condition = row.condition;
      Print(
          "%s\n  %-22s rank     p50 ms [95 %%]   CPU ms   gross J   "
          "net J (each)   W  grade  Shapiro p\n",
          ToString(condition).c_str(), "runtime");
    }
    PrintRow(row);
  }
  PrintCondition(report, condition);
  Print("ranks are by %s; Spearman of it with time %s\n", report.metric.c_str(),
        Cell(report.metric_with_time, "%.2f").c_str());
  if (!report.note.empty()) Print("%s\n", report.note.c_str());
  Print("%lld points, %lld done, %lld failed\n",
        static_cast<long long>(report.count.points),
        static_cast<long long>(report.count.done),
        static_cast<long long>(report.count.failed));
}

}  // namespace stint::cli
