#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "lab/report/sections.h"

namespace stint {

TableCell AxisCell(const Setting& condition, const char* axis) {
  const std::string text = ValueOf(condition, axis);
  if (text.empty()) return std::optional<double>();
  return std::strtoll(text.c_str(), nullptr, 10);
}

Table BenchRowsTable(const BenchReport& report) {
  const auto or_nothing = [](const std::optional<Estimate>& ratio) {
    return ratio.value_or(Estimate{NAN, NAN, NAN});
  };
  Table table;
  table.columns = {"runtime",
                   "version",
                   "precision",
                   "batch",
                   "seq",
                   "threads",
                   "load_ms",
                   "first_ms",
                   "start_ms",
                   "cold_ms",
                   "p50_ms",
                   "p90_ms",
                   "p99_ms",
                   "mean_ms",
                   "mean_without_outliers_ms",
                   "outliers",
                   "cpu_ms",
                   "peak_rss_bytes",
                   "energy_grade",
                   "gross_joules",
                   "net_joules",
                   "mean_watts",
                   "below_resolution",
                   "rounds",
                   "status",
                   "reason",
                   "note",
                   "max_difference",
                   "relative_error",
                   "ratio_to_best_peer",
                   "ratio_low",
                   "ratio_high"};
  table.brief = {"runtime",    "precision", "batch",          "seq",
                 "p50_ms",     "p90_ms",    "p99_ms",         "load_ms",
                 "start_ms",   "cold_ms",   "peak_rss_bytes", "energy_grade",
                 "net_joules", "status",    "reason",         "note"};
  for (const BenchRow& row : report.rows) {
    const Estimate ratio = or_nothing(row.ratio_to_best_peer);
    table.rows.push_back({row.runtime,
                          row.version,
                          row.precision,
                          AxisCell(row.condition, "batch"),
                          AxisCell(row.condition, "seq"),
                          AxisCell(row.condition, "threads"),
                          row.load_ms,
                          row.first_ms,
                          row.start_ms,
                          row.cold_ms,
                          row.p50_ms,
                          row.p90_ms,
                          row.p99_ms,
                          row.mean_ms,
                          row.mean_without_outliers_ms,
                          row.outliers,
                          row.cpu_ms,
                          row.peak_rss_bytes,
                          row.energy_grade,
                          row.gross_joules,
                          row.net_joules,
                          row.mean_watts,
                          YesNo(row.below_resolution),
                          row.rounds,
                          row.status,
                          row.reason,
                          row.note,
                          row.max_difference,
                          row.relative_error,
                          ratio.value,
                          ratio.KnownLow(),
                          ratio.KnownHigh()});
  }
  return table;
}

namespace {

std::string NameOf(const BenchRow& row) {
  return row.runtime + " " + row.precision;
}

Setting WithoutBatch(const Setting& condition) {
  Setting rest;
  for (const auto& entry : condition) {
    if (entry.first != "batch") rest.push_back(entry);
  }
  return rest;
}

double BatchOf(const BenchRow& row) {
  return std::strtod(ValueOf(row.condition, "batch").c_str(), nullptr);
}

// A curve per row where several batches were run.
void AddLatency(const BenchReport& report, ReportSection* section) {
  Figure figure;
  figure.title = "Latency against batch";
  figure.caption =
      "Medians over all runs of all rounds; both axes logarithmic.";
  figure.table.columns = {"condition", "row", "batch", "p50_ms"};
  for (const BenchRow& row : report.rows) {
    if (!row.p50_ms) continue;
    const std::string place = ToString(WithoutBatch(row.condition));
    auto plot = std::find_if(figure.plots.begin(), figure.plots.end(),
                             [&](const Plot& p) { return p.title == place; });
    if (plot == figure.plots.end()) {
      figure.plots.push_back(
          {place, {"batch", true}, {"ms per run", true}, {}, {}, {}});
      plot = figure.plots.end() - 1;
    }
    auto series = std::find_if(
        plot->series.begin(), plot->series.end(),
        [&](const PlotSeries& s) { return s.name == NameOf(row); });
    if (series == plot->series.end()) {
      plot->series.push_back({NameOf(row), PlotMark::kLine, {}});
      series = plot->series.end() - 1;
    }
    series->points.push_back({BatchOf(row), *row.p50_ms, {}, {}, ""});
    figure.table.rows.push_back(
        {place, NameOf(row), BatchOf(row), *row.p50_ms});
  }
  const bool several = std::any_of(
      figure.plots.begin(), figure.plots.end(), [](const Plot& plot) {
        return std::any_of(
            plot.series.begin(), plot.series.end(),
            [](const PlotSeries& s) { return s.points.size() > 1; });
      });
  if (several) section->figures.push_back(std::move(figure));
}

void AddForest(const BenchReport& report, ReportSection* section) {
  RatioForest forest(report.noise);
  for (const BenchRow& row : report.rows) {
    if (!row.ratio_to_best_peer) continue;
    forest.Add(ToString(row.condition) + ", " + NameOf(row),
               *row.ratio_to_best_peer);
  }
  if (forest.empty()) return;
  section->figures.push_back(
      forest.Finish("Times over the fastest correct fp32 peer's",
                    "time over the best peer's"));
}

// Time against memory, with what no other row beats on both.
void AddFront(const BenchReport& report, ReportSection* section) {
  Figure figure;
  figure.title = "Time and memory";
  figure.caption =
      "Down and left is better; stars are the Pareto front: no other row is "
      "better by more than the run resolves. Memory is the high-water mark of "
      "the process, of Python peers with the interpreter.";
  std::vector<Setting> conditions;  // of the plots
  for (const BenchRow& row : report.rows) {
    if (!row.p50_ms || !row.peak_rss_bytes) continue;
    const std::string place = ToString(row.condition);
    if (figure.plots.empty() || figure.plots.back().title != place) {
      figure.plots.push_back(
          {place, {"p50 ms", true}, {"peak MB", true}, {}, {}, {}});
      conditions.push_back(row.condition);
    }
    figure.plots.back().series.push_back(
        {NameOf(row),
         PlotMark::kDots,
         {{*row.p50_ms,
           *row.peak_rss_bytes * 1e-6,
           {},
           {},
           NameOf(row),
           row.round_ms ? row.round_ms->KnownLow() : std::nullopt,
           row.round_ms ? row.round_ms->KnownHigh() : std::nullopt}}});
  }
  bool all = true;
  for (size_t i = 0; i < conditions.size(); ++i) {
    all &= AddQuietFront(report.noise, conditions[i], &figure.plots[i]);
  }
  if (!all) figure.caption += kNoFront;
  figure.table = BenchRowsTable(report);
  section->figures.push_back(std::move(figure));
}

}  // namespace

ReportSection BenchSection(const BenchReport& report) {
  ReportSection section;
  section.title = "One model in several runtimes";
  section.method = {
      "In each round every row runs once in a fresh process, in random order; "
      "outputs are compared before anything is timed. Outliers (5 MAD) are "
      "counted and kept."};
  section.noise = report.noise;
  for (const BenchRow& row : report.rows) {
    if (row.runtime != "stint" || !row.ratio_to_best_peer) continue;
    const Estimate& ratio = *row.ratio_to_best_peer;
    section.findings.push_back(ToString(row.condition) + ", " + row.precision +
                               ": stint takes " +
                               EstimateText(ratio, "%.2f", kNeedsRounds) +
                               " of the best peer's time.");
  }
  AddForest(report, &section);
  AddLatency(report, &section);
  AddFront(report, &section);
  return section;
}

}  // namespace stint
