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

namespace {

struct RowColumn {
  const char* name;  // also a key of the JSON
  bool brief;        // shown on a terminal
  TableCell (*cell)(const BenchRow& row);
};

Estimate Ratio(const BenchRow& row) {
  return row.ratio_to_best_peer.value_or(Estimate{NAN, NAN, NAN});
}

#define STINT_COLUMN(name, brief, value)                              \
  {                                                                   \
    name, brief, [](const BenchRow& row) { return TableCell(value); } \
  }

constexpr RowColumn kRowColumns[] = {
    STINT_COLUMN("runtime", true, row.runtime),
    STINT_COLUMN("version", false, row.version),
    STINT_COLUMN("precision", true, row.precision),
    STINT_COLUMN("batch", true, AxisCell(row.condition, "batch")),
    STINT_COLUMN("seq", true, AxisCell(row.condition, "seq")),
    STINT_COLUMN("threads", false, AxisCell(row.condition, "threads")),
    STINT_COLUMN("load_ms", true, row.load_ms),
    STINT_COLUMN("first_ms", false, row.first_ms),
    STINT_COLUMN("start_ms", true, row.start_ms),
    STINT_COLUMN("cold_ms", true, row.cold_ms),
    STINT_COLUMN("p50_ms", true, row.p50_ms),
    STINT_COLUMN("p90_ms", true, row.p90_ms),
    STINT_COLUMN("p99_ms", true, row.p99_ms),
    STINT_COLUMN("mean_ms", false, row.mean_ms),
    STINT_COLUMN("mean_without_outliers_ms", false,
                 row.mean_without_outliers_ms),
    STINT_COLUMN("outliers", false, row.outliers),
    STINT_COLUMN("cpu_ms", false, row.cpu_ms),
    STINT_COLUMN("peak_rss_bytes", true, row.peak_rss_bytes),
    STINT_COLUMN("energy_grade", true, row.energy_grade),
    STINT_COLUMN("gross_joules", false, row.gross_joules),
    STINT_COLUMN("net_joules", true, row.net_joules),
    STINT_COLUMN("mean_watts", false, row.mean_watts),
    STINT_COLUMN("below_resolution", false, YesNo(row.below_resolution)),
    STINT_COLUMN("rounds", false, row.rounds),
    STINT_COLUMN("status", true, row.status),
    STINT_COLUMN("reason", true, row.reason),
    STINT_COLUMN("note", true, row.note),
    STINT_COLUMN("max_difference", false, row.max_difference),
    STINT_COLUMN("relative_error", false, row.relative_error),
    STINT_COLUMN("ratio_to_best_peer", false, Ratio(row).value),
    STINT_COLUMN("ratio_low", false, Ratio(row).KnownLow()),
    STINT_COLUMN("ratio_high", false, Ratio(row).KnownHigh()),
};

#undef STINT_COLUMN

}  // namespace

Table BenchRowsTable(const BenchReport& report) {
  Table table;
  for (const RowColumn& column : kRowColumns) {
    table.columns.emplace_back(column.name);
    if (column.brief) table.brief.emplace_back(column.name);
  }
  for (const BenchRow& row : report.rows) {
    auto& cells = table.rows.emplace_back();
    for (const RowColumn& column : kRowColumns) {
      cells.push_back(column.cell(row));
    }
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
