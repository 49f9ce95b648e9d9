#include <algorithm>

#include "core/platform/file.h"
#include "lab/report/sections.h"
#include "lab/stack/contest.h"

namespace stint {
namespace {

std::string PlaceOf(const StackRow& row) {
  return BaseName(row.Value("model")) + ", " + row.Value("compute");
}

Table RowsTable(const StackReport& report) {
  constexpr const char* kFigures[] = {
      "value",    kTimeFigure, "run_ms_p95",     "model_bytes",
      "nonzeros", "macs",      "peak_rss_bytes", "cpu_ms"};
  Table table;
  if (report.rows.empty()) return table;
  for (const auto& [axis, value] : report.rows[0].setting) {
    table.columns.push_back(axis);
  }
  table.columns.insert(table.columns.end(), {"front", "status"});
  for (const char* name : kFigures) table.columns.emplace_back(name);
  table.columns.insert(table.columns.end(), {"alike", "reason"});
  for (const std::string& name : table.columns) {
    if (name != "run_ms_p95" && name != "nonzeros" && name != "cpu_ms") {
      table.brief.push_back(name);
    }
  }
  for (size_t i = 0; i < report.rows.size(); ++i) {
    const StackRow& row = report.rows[i];
    std::vector<TableCell> cells;
    for (const auto& [axis, value] : row.setting) {
      cells.emplace_back(axis == "model" ? BaseName(value) : value);
    }
    const bool front =
        std::count(report.pareto.begin(), report.pareto.end(), i) > 0;
    cells.emplace_back(front ? "yes" : "");
    cells.emplace_back(row.status);
    for (const char* name : kFigures) cells.emplace_back(row.Figure(name));
    cells.emplace_back(row.alike);
    cells.emplace_back(row.reason);
    table.rows.push_back(std::move(cells));
  }
  return table;
}

// A plot per model and compute, a color per compression.
void AddFront(const StackReport& report, ReportSection* section) {
  Figure figure;
  figure.title = "Error against time, by compression";
  figure.caption =
      "A point per primitive and compression, with the kernels of the point "
      "itself; error is 1 less the metric. Down and left is better.";
  Plot fresh;
  fresh.x = {"time ms", true};
  fresh.y = {"error", false};
  for (const StackRow& row : report.rows) {
    const auto value = row.Figure("value"), ms = row.Figure(kTimeFigure);
    if (!row.ok() || !value || !ms) continue;
    Plot* plot = FindOrAddPlot(PlaceOf(row), fresh, &figure);
    FindOrAddSeries(row.Value("compression"), PlotMark::kDots, plot)
        ->points.push_back({*ms, 1 - *value, {}, {}, row.Value("primitive")});
  }
  for (Plot& plot : figure.plots) {
    PlotSeries front = FrontOf(plot.series);
    plot.series.push_back(std::move(front));
  }
  figure.table = RowsTable(report);
  section->figures.push_back(std::move(figure));
}

PlotPoint AchievedPoint(const StackSpeedup& s) {
  return {s.expected, s.achieved.value, s.achieved.KnownLow(),
          s.achieved.KnownHigh(), ""};
}

void AddSpeedups(const StackReport& report, ReportSection* section) {
  if (report.speedups.empty()) return;
  Figure figure;
  figure.title = "What compressions promise and what they give";
  figure.caption =
      "Weights that are left say how much faster a model should be; the line "
      "is where time follows them.";
  figure.table.columns = {"model",        "compute",  "compression",
                          "promised",     "achieved", "change of value",
                          "slower layers"};
  Plot fresh;
  fresh.x = {"weights before / weights left", true};
  fresh.y = {"time before / time now", true};
  for (const StackSpeedup& s : report.speedups) {
    const std::string place = BaseName(s.model) + ", " + s.compute;
    Plot* plot = FindOrAddPlot(place, fresh, &figure);
    FindOrAddSeries(s.compression, PlotMark::kDots, plot)
        ->points.push_back(AchievedPoint(s));
    std::string slower;
    for (const SlowerLayer& layer : s.slower) {
      slower += (slower.empty() ? "" : "; ") + SlowerText(layer);
    }
    figure.table.rows.push_back({BaseName(s.model), s.compute, s.compression,
                                 s.expected, s.achieved.value,
                                 s.accuracy_change, slower});
  }
  for (Plot& plot : figure.plots) {
    double most = 1;
    for (const PlotSeries& series : plot.series) {
      for (const PlotPoint& point : series.points) {
        most = std::max(most, point.x);
      }
    }
    plot.series.push_back({"as promised",
                           PlotMark::kDashes,
                           {{1, 1, {}, {}, ""}, {most, most, {}, {}, ""}}});
  }
  section->figures.push_back(std::move(figure));
}

void AddFlips(const StackReport& report, ReportSection* section) {
  Figure figure;
  figure.title = "What changes the winner";
  figure.caption =
      "The fastest value of an axis where only one other axis is changed; "
      "values that run by the same kernels are one. A winner is clearly ahead "
      "of every other in its rounds of timing; the lead is over the best of "
      "the others, with its 95 % interval.";
  figure.table.columns = {"axis", "changed", "with",     "at",   "fastest",
                          "lead", "at ",     "fastest ", "lead "};
  for (const StackFlip& flip : report.flips) {
    std::string fixed;
    for (const auto& [axis, value] : flip.fixed) {
      fixed += (fixed.empty() ? "" : ", ") +
               (axis == "model" ? BaseName(value) : value);
    }
    const auto name = [&](const std::string& value) {
      return flip.other == "model" ? BaseName(value) : value;
    };
    figure.table.rows.push_back(
        {flip.axis, flip.other, fixed, name(flip.from), flip.winner_from,
         EstimateText(flip.lead_from, "%.2f"), name(flip.to), flip.winner_to,
         EstimateText(flip.lead_to, "%.2f")});
  }
  section->figures.push_back(std::move(figure));
}

void AddFindings(const StackReport& report, ReportSection* section) {
  auto& findings = section->findings;
  for (const StackCorrelation& c : report.correlations) {
    findings.push_back("On " + c.compute + ": " + c.Title() + " " +
                       FormatNumber("%+.2f", c.rho) + ".");
  }
  const auto slower = std::count_if(
      report.speedups.begin(), report.speedups.end(),
      [](const StackSpeedup& s) { return s.slower_than_before(); });
  findings.push_back(std::to_string(slower) + " of " +
                     std::to_string(report.speedups.size()) +
                     " compressed models are slower than what they came from.");
  findings.push_back("The winner changes with another axis in " +
                     std::to_string(report.flips.size()) + " places.");
  const int64_t won = report.contests - report.ties - report.undecided;
  findings.push_back(
      "Of " + std::to_string(report.contests) + " contests " +
      std::to_string(won) + " are won by more than " +
      FormatNumber("%.0f", 100 * (kClearLead - 1)) + " %, " +
      std::to_string(report.ties) + " are tied and " +
      std::to_string(report.undecided) + " are undecided at this noise after " +
      std::to_string(report.timing_rounds) + " rounds of timing.");
  findings.push_back(std::to_string(report.evaluated) +
                     " points were evaluated, " +
                     std::to_string(report.taken_over) +
                     " have the figures of a point that runs alike.");
}

}  // namespace

ReportSection StackSection(const StackReport& report) {
  ReportSection section;
  section.title = "Across the stack";
  section.method = {
      "One layer of the stack is changed at a time: network, compression, "
      "convolution primitive, schedule, target.",
      "Every point is evaluated in a process of its own; accuracy comes from "
      "the very kernels that are timed. Time is the median over rounds of "
      "timing, each a fresh process and the low quantile of a block of runs; "
      "of a study without such rounds it is the median of the evaluation's "
      "runs. A "
      "point that runs by the same kernels as another has that one's figures, "
      "and names its primitive and schedule under 'alike'."};
  for (const auto& [compute, device] : report.devices) {
    section.method.push_back(compute + " is " + device + ".");
  }
  AddFront(report, &section);
  AddSpeedups(report, &section);
  AddFlips(report, &section);
  AddFindings(report, &section);
  return section;
}

}  // namespace stint
