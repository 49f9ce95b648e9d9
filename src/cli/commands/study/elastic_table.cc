#include "cli/commands/study/elastic_table.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace stint::cli {
namespace {

Json OrNull(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json ConditionJson(const Setting& condition) {
  Json json;
  for (const auto& [axis, value] : condition) json[axis] = value;
  return json;
}

Json RowJson(const ElasticRow& row) {
  Json json = ConditionJson(row.condition);
  json["policy"] = row.policy;
  json["status"] = row.status;
  json["reason"] = row.reason;
  for (const auto& [name, value] : row.figures) {
    const bool whole = std::floor(value) == value && std::abs(value) < 1e15;
    json[name] = whole ? Json(static_cast<int64_t>(value)) : OrNull(value);
  }
  return json;
}

Json PolicyJson(const PolicySummary& policy) {
  Json json;
  json["policy"] = policy.policy;
  json["mean_value"] = OrNull(policy.mean_value);
  json["feasible"] = policy.feasible;
  json["infeasible"] = policy.infeasible;
  json["failed"] = policy.failed;
  json["latency_error_p50"] = OrNull(policy.latency_error_p50);
  json["latency_error_p95"] = OrNull(policy.latency_error_p95);
  json["over_memory"] = policy.over_memory;
  json["with_memory"] = policy.with_memory;
  return json;
}

Json DeficitsJson(const std::vector<ElasticDeficit>& deficits) {
  Json list = Json::array();
  for (const ElasticDeficit& deficit : deficits) {
    Json json = ConditionJson(deficit.condition);
    json["other"] = deficit.other;
    json["value"] = OrNull(deficit.ours);
    json["other_value"] = OrNull(deficit.others);
    json["p"] = deficit.p;
    list.push_back(std::move(json));
  }
  return list;
}

void AppendLine(std::string* text, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
void AppendLine(std::string* text, const char* format, ...) {
  char line[512];
  va_list values;
  va_start(values, format);
  std::vsnprintf(line, sizeof(line), format, values);
  va_end(values);
  text->append(line).append("\n");
}

// "12%", "-" for what is not known.
std::string Percent(double share) {
  if (!std::isfinite(share)) return "-";
  char text[32];
  std::snprintf(text, sizeof(text), "%.0f%%", 100 * share);
  return text;
}

std::string Cell(const ElasticRow& row, const char* figure, const char* format,
                 double factor = 1) {
  const auto value = row.Figure(figure);
  if (!value) return "-";
  char text[32];
  std::snprintf(text, sizeof(text), format, *value * factor);
  return text;
}

// The condition without the budgets.
std::string PlaceOf(const Setting& condition) {
  return ValueOf(condition, "model") + ", storage " +
         ValueOf(condition, "storage") + ", compute " +
         ValueOf(condition, "compute");
}

void AppendRow(const ElasticRow& row, std::string* text) {
  if (!row.ok()) {
    AppendLine(text, "  %7s %7s  %-14s %s: %.200s",
               ValueOf(row.condition, "memory").c_str(),
               ValueOf(row.condition, "latency").c_str(), row.policy.c_str(),
               row.status.c_str(), row.reason.c_str());
    return;
  }
  AppendLine(text, "  %7s %7s  %-14s %7s %5s %8s %8s %8s %8s %9s %8s %6s",
             ValueOf(row.condition, "memory").c_str(),
             ValueOf(row.condition, "latency").c_str(), row.policy.c_str(),
             Cell(row, "value", "%.4f").c_str(),
             Cell(row, "bits_mean", "%.2f").c_str(),
             Cell(row, "predicted_ms", "%.2f").c_str(),
             Cell(row, "run_ms_p50", "%.2f").c_str(),
             Cell(row, "run_ms_p95", "%.2f").c_str(),
             Cell(row, "peak_rss_bytes", "%.2f", 1e-6).c_str(),
             Cell(row, "bytes_read", "%.1f", 1e-6).c_str(),
             Cell(row, "cpu_ms", "%.2f").c_str(),
             Cell(row, "missed", "%.0f").c_str());
}

void AppendRows(const ElasticReport& report, std::string* text) {
  std::string place;
  for (const ElasticRow& row : report.rows) {
    if (PlaceOf(row.condition) != place) {
      place = PlaceOf(row.condition);
      AppendLine(text, "%s", place.c_str());
      AppendLine(text, "  %7s %7s  %-14s %7s %5s %8s %8s %8s %8s %9s %8s %6s",
                 "memory", "latency", "policy", "value", "bits", "pred ms",
                 "p50 ms", "p95 ms", "peak MB", "read MB", "cpu ms", "missed");
    }
    AppendRow(row, text);
  }
}

void AppendPolicies(const ElasticReport& report, std::string* text) {
  AppendLine(text,
             "\nover the grid (a point without an answer counts as chance)\n"
             "  %-14s %10s %8s %10s %6s %10s %10s %11s",
             "policy", "mean", "feasible", "infeasible", "failed", "p50 error",
             "p95 error", "over memory");
  for (const PolicySummary& policy : report.policies) {
    AppendLine(text, "  %-14s %10.4f %8lld %10lld %6lld %10s %10s %11s",
               policy.policy.c_str(), policy.mean_value,
               static_cast<long long>(policy.feasible),
               static_cast<long long>(policy.infeasible),
               static_cast<long long>(policy.failed),
               Percent(policy.latency_error_p50).c_str(),
               Percent(policy.latency_error_p95).c_str(),
               (std::to_string(policy.over_memory) + " of " +
                std::to_string(policy.with_memory))
                   .c_str());
  }
}

void AppendDeficits(const char* title,
                    const std::vector<ElasticDeficit>& deficits,
                    std::string* text) {
  AppendLine(text, "%s: %s", title, deficits.empty() ? "none" : "");
  for (const ElasticDeficit& deficit : deficits) {
    char ours[64] = "no plan";
    if (std::isfinite(deficit.ours)) {
      std::snprintf(ours, sizeof(ours), "%.4f, p = %.2g", deficit.ours,
                    deficit.p);
    }
    AppendLine(text, "  %s: %s, %s %.4f", ToString(deficit.condition).c_str(),
               ours, deficit.other.c_str(), deficit.others);
  }
}

}  // namespace

Json ElasticJson(const ElasticReport& report) {
  Json json;
  json["points"] = report.count.points;
  json["done"] = report.count.done;
  json["failed"] = report.count.failed;
  json["infeasible"] = std::count_if(
      report.rows.begin(), report.rows.end(),
      [](const ElasticRow& r) { return r.status == "infeasible"; });
  json["metric"] = report.metric;
  json["policies"] = Json::array();
  for (const PolicySummary& policy : report.policies) {
    json["policies"].push_back(PolicyJson(policy));
  }
  json["only_others_feasible"] = DeficitsJson(report.only_others);
  json["significantly_worse"] = DeficitsJson(report.significantly_worse);
  json["compared"] = report.compared;
  json["gain_where_hard"] = OrNull(report.gain_where_hard);
  json["hard_conditions"] = report.hard_conditions;
  json["rows"] = Json::array();
  for (const ElasticRow& row : report.rows) {
    json["rows"].push_back(RowJson(row));
  }
  return json;
}

std::string ElasticTable(const ElasticReport& report) {
  std::string text;
  AppendRows(report, &text);
  AppendPolicies(report, &text);
  AppendDeficits("elastic does not fit but another does", report.only_others,
                 &text);
  AppendDeficits("elastic is significantly worse than the best other",
                 report.significantly_worse, &text);
  AppendLine(&text, "compared row by row in %lld conditions",
             static_cast<long long>(report.compared));
  if (report.hard_conditions > 0) {
    AppendLine(&text,
               "where the best other is more than 2 points below the best of "
               "all (%lld conditions), elastic leads it by %+.1f points",
               static_cast<long long>(report.hard_conditions),
               100 * report.gain_where_hard);
  }
  AppendLine(&text, "%lld points, %lld done, %lld failed",
             static_cast<long long>(report.count.points),
             static_cast<long long>(report.count.done),
             static_cast<long long>(report.count.failed));
  return text;
}

}  // namespace stint::cli
