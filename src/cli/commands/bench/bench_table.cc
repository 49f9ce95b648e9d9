#include "cli/commands/bench/bench_table.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "cli/commands/bench/noise_table.h"

namespace stint::cli {
namespace {

Json OrNull(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

// The number of an axis, null when the condition has no such axis.
Json NumberOf(const Setting& condition, const std::string& axis) {
  const std::string text = ValueOf(condition, axis);
  if (text.empty()) return nullptr;
  return std::strtoll(text.c_str(), nullptr, 10);
}

void AddCondition(const Setting& condition, Json* json) {
  for (const char* axis : {"batch", "seq", "threads"}) {
    (*json)[axis] = NumberOf(condition, axis);
  }
}

Json RowJson(const BenchRow& row) {
  Json json;
  json["runtime"] = row.runtime;
  json["version"] = row.version;
  json["precision"] = row.precision;
  AddCondition(row.condition, &json);
  json["load_ms"] = OrNull(row.load_ms);
  json["first_ms"] = OrNull(row.first_ms);
  json["start_ms"] = OrNull(row.start_ms);
  json["cold_ms"] = OrNull(row.cold_ms);
  json["p50_ms"] = OrNull(row.p50_ms);
  json["p90_ms"] = OrNull(row.p90_ms);
  json["p99_ms"] = OrNull(row.p99_ms);
  json["mean_ms"] = OrNull(row.mean_ms);
  json["mean_without_outliers_ms"] = OrNull(row.mean_without_outliers_ms);
  json["outliers"] = row.outliers;
  json["cpu_ms"] = OrNull(row.cpu_ms);
  json["peak_rss_bytes"] =
      row.peak_rss_bytes ? Json(std::llround(*row.peak_rss_bytes)) : Json();
  if (!row.energy_grade.empty()) {
    json["energy_grade"] = row.energy_grade;
    json["gross_joules"] = OrNull(row.gross_joules);
    json["net_joules"] = OrNull(row.net_joules);
    json["mean_watts"] = OrNull(row.mean_watts);
    json["below_resolution"] =
        row.below_resolution ? Json(*row.below_resolution) : Json(nullptr);
  }
  json["rounds"] = row.rounds;
  json["status"] = row.status;
  json["reason"] = row.reason;
  json["note"] = row.note;
  json["max_difference"] = OrNull(row.max_difference);
  json["relative_error"] = OrNull(row.relative_error);
  const auto& ratio = row.ratio_to_best_peer;
  json["ratio_to_best_peer"] = ratio ? OrNull(ratio->value) : Json(nullptr);
  json["ratio_low"] = ratio ? OrNull(ratio->KnownLow()) : Json(nullptr);
  json["ratio_high"] = ratio ? OrNull(ratio->KnownHigh()) : Json(nullptr);
  return json;
}

Json NoiseJson(const NoiseRatio& noise) {
  Json json;
  AddCondition(noise.condition, &json);
  AddNoise(noise, &json);
  return json;
}

std::string Cell(const std::optional<double>& value, const char* format) {
  if (!value) return "-";
  char text[32];
  std::snprintf(text, sizeof(text), format, *value);
  return text;
}

void PrintRow(const BenchRow& row) {
  std::string ratio = "-";
  if (row.ratio_to_best_peer) {
    ratio = EstimateText(*row.ratio_to_best_peer, "%.2f");
  }
  Print("  %-12s %-5s %9s %9s %9s %9s %9s %8s  %-18s ", row.runtime.c_str(),
        row.precision.c_str(), Cell(row.p50_ms, "%.3f").c_str(),
        Cell(row.p90_ms, "%.3f").c_str(), Cell(row.p99_ms, "%.3f").c_str(),
        Cell(row.load_ms, "%.1f").c_str(),
        Cell(row.cold_ms ? row.cold_ms : row.start_ms, "%.0f").c_str(),
        row.peak_rss_bytes ? Cell(*row.peak_rss_bytes * 1e-6, "%.0f").c_str()
                           : "-",
        ratio.c_str());
  if (row.status == "ok") {
    const std::string differs = Cell(row.relative_error, "differs by %.1e");
    Print("%s%s%s\n", (row.reason.empty() ? differs : row.reason).c_str(),
          row.note.empty() ? "" : "; ", row.note.c_str());
  } else {
    Print("%s: %s\n", row.status.c_str(), row.reason.c_str());
  }
}

// Below the row, where energy was asked for.
void PrintRowEnergy(const BenchRow& row) {
  if (row.energy_grade.empty()) return;
  if (!row.gross_joules) {
    Print("  %-18s grade %s: no energy; CPU %s ms per run\n", "",
          row.energy_grade.c_str(), Cell(row.cpu_ms, "%.3f").c_str());
    return;
  }
  Print("  %-18s grade %s: %s J gross, %s J net%s per run, %s W\n", "",
        row.energy_grade.c_str(), Cell(row.gross_joules, "%.4g").c_str(),
        Cell(row.net_joules, "%.4g").c_str(),
        row.below_resolution.value_or(false) ? " (below resolution)" : "",
        Cell(row.mean_watts, "%.1f").c_str());
}

}  // namespace

Json BenchJson(const BenchReport& report) {
  Json json;
  json["rows"] = Json::array();
  for (const BenchRow& row : report.rows) json["rows"].push_back(RowJson(row));
  const NoiseRatio* worst = WorstNoise(report.noise);
  json["noise"] = worst != nullptr ? NoiseJson(*worst) : Json(nullptr);
  if (worst == nullptr) return json;
  for (const NoiseRatio& noise : report.noise) {
    json["noise"]["conditions"].push_back(NoiseJson(noise));
  }
  return json;
}

void PrintBenchTable(const BenchReport& report) {
  Setting condition;
  for (const BenchRow& row : report.rows) {
    if (row.condition != condition) {
      condition = row.condition;
      Print("%s\n  %-12s %-5s %9s %9s %9s %9s %9s %8s  %s\n",
            ToString(condition).c_str(), "runtime", "", "p50 ms", "p90 ms",
            "p99 ms", "load ms", "start ms", "peak MB", "ratio to best peer");
      for (const NoiseRatio& noise : report.noise) {
        if (noise.condition == condition) PrintNoise(noise);
      }
    }
    PrintRow(row);
    PrintRowEnergy(row);
  }
}

}  // namespace stint::cli
