#include <algorithm>
#include <cmath>

#include "core/base/quantity.h"
#include "core/platform/file.h"
#include "lab/report/sections.h"

namespace stint {

Table PoliciesTable(const ElasticReport& report) {
  Table table;
  table.columns = {
      "policy",     "mean_value",        "feasible",          "infeasible",
      "failed",     "latency_error_p50", "latency_error_p95", "over_memory",
      "with_memory"};
  for (const PolicySummary& row : report.policies) {
    table.rows.push_back({row.policy, row.mean_value, row.feasible,
                          row.infeasible, row.failed, row.latency_error_p50,
                          row.latency_error_p95, row.over_memory,
                          row.with_memory});
  }
  return table;
}

namespace {

std::string PlaceOf(const ElasticRow& row) {
  return BaseName(ValueOf(row.condition, "model")) + ", storage " +
         ValueOf(row.condition, "storage") + ", compute " +
         ValueOf(row.condition, "compute");
}

std::optional<double> LatencyMs(const ElasticRow& row) {
  const auto ns = ParseDurationNs(ValueOf(row.condition, "latency"));
  if (!ns.ok()) return std::nullopt;
  return static_cast<double>(*ns) * 1e-6;
}

Table RowsTable(const ElasticReport& report) {
  constexpr const char* kFigures[] = {
      "value",        "correct",    "total",      "bits_mean",
      "predicted_ms", "run_ms_p50", "run_ms_p95", "peak_rss_bytes",
      "bytes_read",   "cpu_ms",     "missed"};
  Table table;
  table.columns = {"model",   "storage", "compute", "memory",
                   "latency", "policy",  "status"};
  for (const char* name : kFigures) table.columns.emplace_back(name);
  table.columns.emplace_back("reason");
  table.brief = {"model",        "storage",    "compute",    "memory",
                 "latency",      "policy",     "value",      "bits_mean",
                 "predicted_ms", "run_ms_p50", "run_ms_p95", "peak_rss_bytes",
                 "bytes_read",   "missed",     "status",     "reason"};
  for (const ElasticRow& row : report.rows) {
    std::vector<TableCell> cells = {BaseName(ValueOf(row.condition, "model")),
                                    ValueOf(row.condition, "storage"),
                                    ValueOf(row.condition, "compute"),
                                    ValueOf(row.condition, "memory"),
                                    ValueOf(row.condition, "latency"),
                                    row.policy,
                                    row.status};
    for (const char* name : kFigures) cells.emplace_back(row.Figure(name));
    cells.emplace_back(row.reason);
    table.rows.push_back(std::move(cells));
  }
  return table;
}

// A plot per place and memory budget, a curve per policy.
void AddAccuracy(const ElasticReport& report, ReportSection* section) {
  Figure figure;
  const std::string metric = report.metric.empty() ? "value" : report.metric;
  figure.title = metric + " against latency, by memory budget";
  figure.caption =
      "A curve has no point where its policy has no plan within the budget.";
  Plot fresh;
  fresh.x = {"latency budget, ms", true};
  fresh.y = {metric, false};
  for (const ElasticRow& row : report.rows) {
    const auto latency = LatencyMs(row);
    const auto value = row.Figure("value");
    if (!row.ok() || !latency || !value) continue;
    Plot* plot = FindOrAddPlot(
        PlaceOf(row) + ", memory " + ValueOf(row.condition, "memory"), fresh,
        &figure);
    FindOrAddSeries(row.policy, PlotMark::kLine, plot)
        ->points.push_back({*latency, *value, {}, {}, ""});
  }
  figure.table = RowsTable(report);
  section->figures.push_back(std::move(figure));
}

// Error against measured time: what no other point beats on both.
void AddFront(const ElasticReport& report, ReportSection* section) {
  Figure figure;
  figure.title = "Pareto front of error and measured time";
  figure.caption =
      "A point per policy and budget; error is 1 less the metric. Down and "
      "left "
      "is better.";
  Plot fresh;
  fresh.x = {"p50 ms, measured", true};
  fresh.y = {"1 - " + (report.metric.empty() ? "value" : report.metric), false};
  figure.table.columns = {"place",   "policy", "memory",
                          "latency", "p50_ms", "error"};
  for (const ElasticRow& row : report.rows) {
    const auto value = row.Figure("value"), ms = row.Figure("run_ms_p50");
    if (!row.ok() || !value || !ms) continue;
    Plot* plot = FindOrAddPlot(PlaceOf(row), fresh, &figure);
    const std::string memory = ValueOf(row.condition, "memory");
    const std::string latency = ValueOf(row.condition, "latency");
    FindOrAddSeries(row.policy, PlotMark::kDots, plot)
        ->points.push_back({*ms, 1 - *value, {}, {}, memory + ", " + latency});
    figure.table.rows.push_back(
        {PlaceOf(row), row.policy, memory, latency, *ms, 1 - *value});
  }
  for (Plot& plot : figure.plots) {
    PlotSeries front = FrontOf(plot.series);
    plot.series.push_back(std::move(front));
  }
  if (!figure.plots.empty()) section->figures.push_back(std::move(figure));
}

void AddPolicies(const ElasticReport& report, ReportSection* section) {
  section->figures.push_back({"Policies over the grid",
                              "A point without an answer counts as chance.",
                              {},
                              PoliciesTable(report)});
}

// Every condition in which another policy does better.
void AddDeficits(const ElasticReport& report, ReportSection* section) {
  Figure figure;
  figure.title = "Where another policy does better";
  figure.caption =
      "Conditions in which only another policy has a plan, or has "
      "significantly more rows correct.";
  figure.table.columns = {"condition", "elastic", "other", "other_value", "p"};
  const auto add = [&](const ElasticDeficit& deficit, bool plan) {
    const std::optional<double> ours =
        plan ? std::optional(deficit.ours) : std::nullopt;
    figure.table.rows.push_back(
        {ToString(deficit.condition), plan ? TableCell(ours) : "no plan",
         deficit.other, deficit.others,
         plan ? TableCell(deficit.p) : TableCell(ours)});
  };
  for (const ElasticDeficit& each : report.only_others) add(each, false);
  for (const ElasticDeficit& each : report.significantly_worse) add(each, true);
  if (!figure.table.rows.empty()) section->figures.push_back(std::move(figure));
}

void AddFindings(const ElasticReport& report, ReportSection* section) {
  auto& findings = section->findings;
  const std::string conditions = std::to_string(report.compared);
  findings.push_back("elastic is significantly worse than the best other in " +
                     std::to_string(report.significantly_worse.size()) +
                     " of " + conditions +
                     " conditions compared row by row (McNemar, Holm, 5 %).");
  findings.push_back("In " + std::to_string(report.only_others.size()) +
                     " conditions only another policy has a plan.");
  if (report.hard_conditions > 0) {
    findings.push_back(
        "Where the best other is more than 2 points below the best of all (" +
        std::to_string(report.hard_conditions) +
        " conditions), elastic leads it by " +
        FormatNumber("%+.1f", 100 * report.gain_where_hard) + " points.");
  }
}

}  // namespace

ReportSection ElasticSection(const ElasticReport& report) {
  ReportSection section;
  section.title = "Elastic files within budgets";
  section.method = {
      "Elastic files evaluated within every combination of budgets, storage, "
      "target and policy; each point is a fresh process of stint eval, in "
      "random order. A point without a plan is infeasible: an outcome, not a "
      "failure. Answers are compared row by row, so there is no A/A row."};
  AddFindings(report, &section);
  AddAccuracy(report, &section);
  AddFront(report, &section);
  AddPolicies(report, &section);
  AddDeficits(report, &section);
  return section;
}

}  // namespace stint
