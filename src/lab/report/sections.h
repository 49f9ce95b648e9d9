#pragma once
// One function per kind of study: its figures and findings. A new kind is one
// more function here and a row in the table of make_report.cc.

#include "lab/bench/bench_report.h"
#include "lab/elastic/elastic_report.h"
#include "lab/energy/energy_report.h"
#include "lab/report/report.h"
#include "lab/stack/stack_report.h"
#include "lab/tax/tax_report.h"

namespace stint {

struct OptimizeReport;

ReportSection BenchSection(const BenchReport& report);
ReportSection TaxSection(const TaxReport& report);
ReportSection EnergySection(const EnergyStudyReport& report);
ReportSection ElasticSection(const ElasticReport& report);
ReportSection StackSection(const StackReport& report);
ReportSection OptimizeSection(const OptimizeReport& report);

// Rows of a bench with every figure; columns are the keys of its JSON.
Table BenchRowsTable(const BenchReport& report);
inline constexpr const char* kBenchAxes[] = {"batch", "seq", "threads"};
// The number of an axis, unknown where the condition has no such axis.
TableCell AxisCell(const Setting& condition, const char* axis);

// Policies over the grid; columns are the keys of the JSON.
Table PoliciesTable(const ElasticReport& report);

// The plot of that title, or a copy of `fresh` with it; the series of that
// name, or a new one.
Plot* FindOrAddPlot(const std::string& title, const Plot& fresh,
                    Figure* figure);
PlotSeries* FindOrAddSeries(const std::string& name, PlotMark mark, Plot* plot);

// Ratios of times with their intervals, a row each, the A/A rows first.
class RatioForest {
 public:
  explicit RatioForest(const std::vector<NoiseRatio>& noise);

  void Add(const std::string& name, const Estimate& ratio);
  bool empty() const { return plot_.rows.empty(); }
  // `label` is that of the ratio.
  Figure Finish(const std::string& title, const std::string& label);

 private:
  void AddRow(PlotSeries* series, const std::string& name,
              const Estimate& ratio);

  Plot plot_;
  PlotSeries noise_{"A/A", PlotMark::kDots, {}};
  PlotSeries ratios_{"ratio", PlotMark::kDots, {}};
  Table table_;
};

// A sentence about the A/A rows: how far a ratio can be trusted.
std::string NoiseSentence(const std::vector<NoiseRatio>& noise);

// Marks the points that no other beats on both axes, by more than `resolution`
// (a share).
PlotSeries FrontOf(const std::vector<PlotSeries>& series,
                   double resolution = 0);
// Adds that front where the noise of the condition is quiet, with what the run
// resolves; returns whether it was.
bool AddQuietFront(const std::vector<NoiseRatio>& noise,
                   const Setting& condition, Plot* plot);
// What is said of plots for which it was not.
inline constexpr char kNoFront[] =
    " There are no stars where the noise is unknown or too large to rank.";

std::string FormatNumber(const char* format, double value);

}  // namespace stint
