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
  Estimate ms;
  Estimate used;
};

Estimate Scaled(const Estimate& estimate, double scale) {
  return {estimate.value * scale, estimate.low * scale, estimate.high * scale};
}

std::optional<Place> PlaceOf(const EnergyRow& row) {
  if (!row.ok()) return std::nullopt;
  const double items = ItemsOf(row.condition);
  std::vector<double> used;
  for (const auto& [round, value] : row.compared) used.push_back(value);
  if (used.empty()) return std::nullopt;
  return Place{Scaled(*row.run_ms, 1 / items),
               Scaled(MedianEstimate(used), 1 / items)};
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

// `starred` becomes false where there is no front to show.
Plot Plane(const EnergyStudyReport& report, const Setting& condition,
           bool* starred) {
  const bool joules = report.metric == "net_joules";
  Plot plot;
  plot.title = ToString(condition);
  plot.x = {"ms per inference", true};
  plot.y = {joules ? "net J per inference" : "CPU ms per inference", true};
  double least = 1e300, most = 0;
  for (const EnergyRow& row : report.rows) {
    const auto place = PlaceOf(row);
    if (row.condition != condition || !place) continue;
    least = std::min(least, place->ms.value);
    most = std::max(most, place->ms.value);
    plot.series.push_back(
        {row.runtime,
         PlotMark::kDots,
         {{place->ms.value, place->used.value, place->used.KnownLow(),
           place->used.KnownHigh(), row.runtime, place->ms.KnownLow(),
           place->ms.KnownHigh()}}});
  }
  if (plot.series.empty()) return plot;
  *starred &= AddQuietFront(report.metric_noise, condition, &plot);
  AddIsoLines(joules, least * 0.8, most * 1.25, &plot);
  return plot;
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
  figure.table.columns = {"condition",
                          "runtime",
                          "version",
                          "rank",
                          "run_ms",
                          "low",
                          "high",
                          "cpu_ms",
                          "gross_joules",
                          "net_joules",
                          "below_resolution",
                          "mean_watts",
                          "grade",
                          "shapiro_p",
                          "status",
                          "reason",
                          "note"};
  bool starred = true;
  for (const Setting& condition : ConditionsOf(report)) {
    Plot plot = Plane(report, condition, &starred);
    if (!plot.series.empty()) figure.plots.push_back(std::move(plot));
  }
  if (!starred) figure.caption += kNoFront;
  for (const EnergyRow& row : report.rows) {
    std::optional<double> rank;
    if (row.rank) rank = *row.rank;
    const Estimate run = row.run_ms.value_or(Estimate{NAN, NAN, NAN});
    figure.table.rows.push_back(
        {ToString(row.condition), row.runtime, row.version, rank, run.value,
         run.KnownLow(), run.KnownHigh(), row.cpu_ms, row.gross_joules,
         row.net_joules, YesNo(row.below_resolution), row.mean_watts, row.grade,
         row.normality_p, row.status, row.reason, row.note});
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
      "Kruskal-Wallis over all runtimes of a condition (H) stands in its first "
      "row; "
      "then Wilcoxon's signed-rank test over the rounds for each pair, "
      "adjusted "
      "by Holm within the condition (none where there are fewer rounds than "
      "could show a difference), and Cliff's delta, positive when the first "
      "takes more.";
  pairs.table.columns = {"condition", "first", "second", "h",
                         "p",         "delta", "size",   "needs_rounds"};
  for (const auto& [condition, test] : report.differences) {
    pairs.table.rows.push_back(
        {condition, "all", "", test.statistic, test.p, std::optional<double>(),
         test.p < kSignificant ? "differ" : "may be equal", ""});
  }
  for (const EnergyPair& pair : report.pairs) {
    pairs.table.rows.push_back({ToString(pair.condition), pair.a, pair.b,
                                std::optional<double>(), pair.p, pair.delta,
                                CliffsDeltaWord(pair.delta),
                                static_cast<double>(pair.needs_rounds)});
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
      order += (order.empty() ? "" : ", ") + row->runtime + " " +
               std::to_string(*row->rank);
    }
    if (order.empty()) {
      section->findings.push_back(ToString(condition) + ": " +
                                  WhyNoRanks(report, condition) + ".");
      continue;
    }
    section->findings.push_back(
        ToString(condition) + ", least " +
        (report.metric == "net_joules" ? "energy" : "CPU time") +
        " first, by proven rank: " + order + ".");
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
