#include <algorithm>
#include <cmath>

#include "lab/report/sections.h"

namespace stint {
namespace {

std::vector<Setting> ConditionsOf(const EnergyStudyReport& report) {
  std::vector<Setting> conditions;
  for (const EnergyRow& row : report.rows) {
    if (std::find(conditions.begin(), conditions.end(), row.condition) ==
        conditions.end()) {
      conditions.push_back(row.condition);
    }
  }
  return conditions;
}

double ItemsOf(const Setting& condition) {
  const double batch =
      std::strtod(ValueOf(condition, "batch").c_str(), nullptr);
  return batch > 0 ? batch : 1;
}

// Energy (or CPU time) of one inference against its time.
struct Place {
  double ms = 0;
  double used = 0;
};

std::optional<Place> PlaceOf(const EnergyStudyReport& report,
                             const EnergyRow& row) {
  if (!row.ok()) return std::nullopt;
  const double items = ItemsOf(row.condition);
  const bool joules = report.metric == "net_joules";
  const std::optional<double> used = joules ? row.net_joules : row.cpu_ms;
  if (!used) return std::nullopt;
  return Place{row.run_ms->value / items, joules ? *used : *used / items};
}

// Lines of equal power through the plane: `used` per ms.
void AddIsoLines(bool joules, double least_ms, double most_ms, Plot* plot) {
  const std::vector<double> rates =
      joules ? std::vector<double>{1, 3, 10, 30, 100, 300}
             : std::vector<double>{1, 2, 4};
  for (double rate : rates) {
    // 1 W is 0.001 J per ms.
    const double per_ms = joules ? rate * 1e-3 : rate;
    plot->series.push_back(
        {FormatNumber("%g", rate) + (joules ? " W" : " busy CPUs"),
         PlotMark::kDashes,
         {{least_ms, least_ms * per_ms, {}, {}, ""},
          {most_ms, most_ms * per_ms, {}, {}, ""}}});
  }
}

Plot Plane(const EnergyStudyReport& report, const Setting& condition) {
  const bool joules = report.metric == "net_joules";
  Plot plot;
  plot.title = ToString(condition);
  plot.x = {"ms per inference", true};
  plot.y = {joules ? "net J per inference" : "CPU ms per inference", true};
  double least = 1e300, most = 0;
  for (const EnergyRow& row : report.rows) {
    const auto place = PlaceOf(report, row);
    if (row.condition != condition || !place) continue;
    least = std::min(least, place->ms);
    most = std::max(most, place->ms);
    plot.series.push_back({row.runtime,
                           PlotMark::kDots,
                           {{place->ms, place->used, {}, {}, row.runtime}}});
  }
  if (plot.series.empty()) return plot;
  PlotSeries front = FrontOf(plot.series);
  plot.series.push_back(std::move(front));
  AddIsoLines(joules, least * 0.8, most * 1.25, &plot);
  return plot;
}

std::optional<double> Part(const std::optional<Estimate>& estimate,
                           double Estimate::*part) {
  if (!estimate) return std::nullopt;
  return (*estimate).*part;
}

void AddPlane(const EnergyStudyReport& report, ReportSection* section) {
  const bool joules = report.metric == "net_joules";
  Figure figure;
  figure.title = joules ? "Energy and time" : "CPU time and time";
  figure.caption =
      joules ? "Down and left is better; stars are the Pareto front. Dashed "
               "lines are equal mean power above idle."
             : "No joule was measured on this machine: CPU time (user and "
               "system, all threads) stands in and says nothing of power. Down "
               "and left is better; stars are the Pareto front. Dashed lines "
               "are equal numbers of busy CPUs.";
  figure.table.columns = {"condition",    "runtime",    "version",    "rank",
                          "run_ms",       "low",        "high",       "cpu_ms",
                          "gross_joules", "net_joules", "mean_watts", "grade",
                          "shapiro_p",    "status",     "reason"};
  for (const Setting& condition : ConditionsOf(report)) {
    Plot plot = Plane(report, condition);
    if (!plot.series.empty()) figure.plots.push_back(std::move(plot));
  }
  for (const EnergyRow& row : report.rows) {
    std::optional<double> rank;
    if (row.rank) rank = *row.rank;
    figure.table.rows.push_back(
        {ToString(row.condition), row.runtime, row.version, rank,
         Part(row.run_ms, &Estimate::value), Part(row.run_ms, &Estimate::low),
         Part(row.run_ms, &Estimate::high), row.cpu_ms, row.gross_joules,
         row.net_joules, row.mean_watts, row.grade, row.normality_p, row.status,
         row.reason});
  }
  section->figures.push_back(std::move(figure));
}

void AddForest(const EnergyStudyReport& report, ReportSection* section) {
  RatioForest forest(report.noise);
  for (const EnergyRow& row : report.rows) {
    if (row.runtime == "stint" || !row.ratio_to_stint) continue;
    forest.Add(ToString(row.condition) + ", " + row.runtime,
               *row.ratio_to_stint);
  }
  if (forest.empty()) return;
  section->figures.push_back(
      forest.Finish("Times over stint's", "time over stint's"));
}

void AddTests(const EnergyStudyReport& report, ReportSection* section) {
  Figure pairs;
  pairs.title = "Tests of the differences";
  pairs.caption =
      "Kruskal-Wallis over all runtimes of a condition stands in its first "
      "row; "
      "then Mann-Whitney for each pair, adjusted by Holm within the condition, "
      "and Cliff's delta, positive when the first takes more.";
  pairs.table.columns = {"condition", "first", "second", "p", "delta", "size"};
  for (const auto& [condition, test] : report.differences) {
    pairs.table.rows.push_back({condition, "all", "H", test.p, test.statistic,
                                test.p < 0.05 ? "differ" : "may be equal"});
  }
  for (const EnergyPair& pair : report.pairs) {
    pairs.table.rows.push_back({ToString(pair.condition), pair.a, pair.b,
                                pair.p, pair.delta,
                                CliffsDeltaWord(pair.delta)});
  }
  if (!pairs.table.rows.empty()) section->figures.push_back(std::move(pairs));
}

void AddFindings(const EnergyStudyReport& report, ReportSection* section) {
  if (!report.note.empty()) section->findings.push_back(report.note + ".");
  for (const Setting& condition : ConditionsOf(report)) {
    std::string order;
    std::vector<const EnergyRow*> rows;
    for (const EnergyRow& row : report.rows) {
      if (row.condition == condition && row.rank) rows.push_back(&row);
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const EnergyRow* a, const EnergyRow* b) {
                       return *a->rank < *b->rank;
                     });
    for (const EnergyRow* row : rows) {
      order += (order.empty() ? "" : ", ") + row->runtime;
    }
    if (order.empty()) continue;
    section->findings.push_back(
        ToString(condition) + ", least " +
        (report.metric == "net_joules" ? "energy" : "CPU time") +
        " first: " + order + ".");
  }
  if (std::isfinite(report.metric_with_time)) {
    section->findings.push_back("Spearman correlation of " + report.metric +
                                " with time over all "
                                "rows: " +
                                FormatNumber("%.2f", report.metric_with_time) +
                                ".");
  }
}

}  // namespace

ReportSection EnergySection(const EnergyStudyReport& report) {
  ReportSection section;
  section.title = "Energy";
  section.method = {
      "Time, CPU time and energy of an inference. Every point is a fresh "
      "process, in random interleaved rounds; outputs are compared before "
      "anything is timed. Energy has a grade: A counter, B sensor, C external, "
      "D modeled (never ranked), E none; only rows of one grade are compared."};
  section.noise = report.noise;
  AddFindings(report, &section);
  AddPlane(report, &section);
  AddForest(report, &section);
  AddTests(report, &section);
  return section;
}

}  // namespace stint
