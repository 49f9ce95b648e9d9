#include <algorithm>

#include "lab/report/sections.h"
#include "lab/report/tax_parts.h"

namespace stint {
namespace {

std::vector<std::string> ModelsOf(const TaxReport& report,
                                  const std::string& axis) {
  std::vector<std::string> models;
  for (const TaxCurve& curve : report.curves) {
    if (curve.axis == axis && !curve.points.empty() &&
        std::find(models.begin(), models.end(), curve.model) == models.end()) {
      models.push_back(curve.model);
    }
  }
  return models;
}

PlotSeries LatencySeries(const TaxCurve& curve) {
  PlotSeries series{curve.runtime, PlotMark::kLine, {}};
  for (const TaxPoint& point : curve.points) {
    series.points.push_back({point.size, point.run_ms.value,
                             point.run_ms.KnownLow(), point.run_ms.KnownHigh(),
                             ""});
  }
  return series;
}

Plot LatencyPlot(const TaxReport& report, const std::string& model,
                 const std::string& axis) {
  Plot plot;
  plot.title = model;
  plot.x = {axis == "seq" ? "sequence length" : axis, true};
  plot.y = {"ms per run", true};
  PlotSeries bends{"B*", PlotMark::kStars, {}};
  for (const TaxCurve& curve : report.curves) {
    if (curve.model != model || curve.axis != axis || !IsTaxRuntime(curve)) {
      continue;
    }
    plot.series.push_back(LatencySeries(curve));
    if (!curve.hinge || !curve.hinge->crossover) continue;
    bends.points.push_back({curve.hinge->crossover->value,
                            curve.hinge->floor_ms->value,
                            {},
                            {},
                            "B* of " + curve.runtime});
  }
  if (!bends.points.empty()) plot.series.push_back(std::move(bends));
  return plot;
}

Table PointsTable(const TaxReport& report, const std::string& axis) {
  Table table;
  table.columns = {"model",       "runtime", axis,        "run_ms",
                   "low",         "high",    "kernel_ms", "outside_ms",
                   "profiled_ms", "cpu_ms",  "over_stint"};
  for (const TaxCurve& curve : report.curves) {
    if (curve.axis != axis) continue;
    for (const TaxPoint& point : curve.points) {
      table.rows.push_back({curve.model, curve.runtime, point.size,
                            point.run_ms.value, point.run_ms.KnownLow(),
                            point.run_ms.KnownHigh(), point.kernel_ms,
                            point.outside_ms(), point.profiled_ms, point.cpu_ms,
                            FigureOf(point.ratio_to_stint)});
    }
  }
  return table;
}

void AddLatency(const TaxReport& report, const std::string& axis,
                ReportSection* section) {
  Figure figure;
  figure.title =
      "Latency against " + std::string(axis == "seq" ? "sequence" : "batch");
  figure.caption =
      "Both axes logarithmic; of each process the quick tenth of its runs, "
      "median over processes with its 95 % interval. A star is B*, where a "
      "floor ends: framework-bound before it, compute-bound after it. A curve "
      "without a star has no floor within these sizes.";
  for (const std::string& model : ModelsOf(report, axis)) {
    figure.plots.push_back(LatencyPlot(report, model, axis));
  }
  if (figure.plots.empty()) return;
  figure.table = PointsTable(report, axis);
  section->figures.push_back(std::move(figure));
}

// Total over kernels, the gap between them shaded; nothing without a profiler.
Plot KernelPlot(const TaxCurve& curve, Table* table) {
  Plot plot;
  plot.title = curve.model + ", " + curve.runtime;
  plot.x = {"batch", true};
  plot.y = {"ms per run", true};
  PlotSeries total{"total", PlotMark::kLine, {}};
  PlotSeries kernels{"kernels", PlotMark::kLine, {}};
  PlotSeries gap{"outside of kernels", PlotMark::kBand, {}};
  for (const TaxPoint& point : curve.points) {
    if (!point.kernel_ms) continue;
    const double run_ms = point.run_ms.value, kernel_ms = *point.kernel_ms;
    total.points.push_back({point.size, run_ms, {}, {}, ""});
    kernels.points.push_back({point.size, kernel_ms, {}, {}, ""});
    gap.points.push_back({point.size, run_ms, kernel_ms, run_ms, ""});
    table->rows.push_back({curve.model, curve.runtime, point.size, run_ms,
                           kernel_ms, run_ms - kernel_ms,
                           (run_ms - kernel_ms) / run_ms});
  }
  if (!total.points.empty()) {
    plot.series = {std::move(gap), std::move(total), std::move(kernels)};
  }
  return plot;
}

void AddKernelTime(const TaxReport& report, ReportSection* section) {
  Figure figure;
  figure.title = "Total and kernel time";
  figure.caption =
      "Kernel time is what the runtime's own profiler sees inside kernels, in "
      "a session of its own; the shaded gap is the rest of an unprofiled run. "
      "Runtimes without a profiler are left out.";
  figure.table.columns = {"model",     "runtime",    "batch",        "run_ms",
                          "kernel_ms", "outside_ms", "outside_share"};
  for (const TaxCurve& curve : report.curves) {
    if (curve.axis != "batch" || !IsTaxRuntime(curve)) continue;
    Plot plot = KernelPlot(curve, &figure.table);
    if (!plot.series.empty()) figure.plots.push_back(std::move(plot));
  }
  if (!figure.plots.empty()) section->figures.push_back(std::move(figure));
}

void AddRatioForest(const TaxReport& report, ReportSection* section) {
  RatioForest forest(report.noise);
  for (const TaxCurve& curve : report.curves) {
    if (curve.axis != "batch" || curve.points.empty() || !IsTaxRuntime(curve)) {
      continue;
    }
    const TaxPoint& first = curve.points[0];
    if (!first.ratio_to_stint) continue;
    forest.Add(curve.model + ", batch " + FormatNumber("%.0f", first.size) +
                   ", " + curve.runtime,
               *first.ratio_to_stint);
  }
  if (forest.empty()) return;
  section->figures.push_back(
      forest.Finish("Times over stint's, smallest batch", "time over stint's"));
}

// The dots of a runtime, one per model.
PlotSeries* RuntimeDots(const std::string& runtime, Plot* plot) {
  for (PlotSeries& series : plot->series) {
    if (series.name == runtime) return &series;
  }
  plot->series.push_back({runtime, PlotMark::kDots, {}});
  return &plot->series.back();
}

std::vector<TableCell> WorkRow(const TaxReport& report, const TaxCurve& curve) {
  std::optional<double> macs_r2, nodes_r2, us_per_node;
  for (const TaxRegression& row : report.regressions) {
    if (row.runtime != curve.runtime || row.batch != 1) continue;
    macs_r2 = row.macs_r2;
    nodes_r2 = row.nodes_r2;
    us_per_node = row.us_per_node;
  }
  return {curve.runtime,
          curve.model,
          static_cast<double>(curve.size.macs),
          static_cast<double>(curve.size.nodes),
          curve.points[0].run_ms.value,
          macs_r2,
          nodes_r2,
          us_per_node};
}

// How far latency follows work, and how far the number of operators.
void AddWork(const TaxReport& report, ReportSection* section) {
  Figure figure;
  figure.title = "Latency against work and against operators, batch 1";
  figure.caption =
      "A point per model. R2 is the share of the variance over models that a "
      "line explains; it is given for runtimes with three models or more.";
  figure.table.columns = {"runtime", "model",   "macs",     "operators",
                          "run_ms",  "macs_r2", "nodes_r2", "us_per_operator"};
  Plot by_work, by_nodes;
  by_work.title = "by multiply-adds";
  by_nodes.title = "by number of operators";
  by_work.x = {"million MACs", true};
  by_nodes.x = {"operators", true};
  by_work.y = by_nodes.y = {"ms per run", true};
  for (const TaxCurve& curve : report.curves) {
    if (curve.axis != "batch" || curve.points.empty() || !IsTaxRuntime(curve) ||
        curve.size.nodes == 0 || curve.points[0].size != 1) {
      continue;
    }
    PlotPoint point{static_cast<double>(curve.size.macs) * 1e-6,
                    curve.points[0].run_ms.value,
                    {},
                    {},
                    curve.runtime + " on " + curve.model};
    RuntimeDots(curve.runtime, &by_work)->points.push_back(point);
    point.x = static_cast<double>(curve.size.nodes);
    RuntimeDots(curve.runtime, &by_nodes)->points.push_back(point);
    figure.table.rows.push_back(WorkRow(report, curve));
  }
  if (by_work.series.empty()) return;
  figure.plots = {std::move(by_work), std::move(by_nodes)};
  section->figures.push_back(std::move(figure));
}

}  // namespace

ReportSection TaxSection(const TaxReport& report) {
  ReportSection section;
  section.title = "Framework tax";
  section.method = {
      "What a runtime costs beside its kernels. Every point is a fresh "
      "process; "
      "in each round every runtime runs once under a condition, in random "
      "order. Outputs are compared before anything is timed, and rows that "
      "differ are excluded and listed.",
      "Fits are T(B) = max(F, c + s*B). On a CPU, where kernels and host take "
      "turns, there is often no floor F; c then holds the tax and the weight "
      "traffic."};
  section.noise = report.noise;
  AddTaxFindings(report, &section);
  AddLatency(report, "batch", &section);
  AddLatency(report, "seq", &section);
  AddRatioForest(report, &section);
  AddTaxEstimates(report, &section);
  AddKernelTime(report, &section);
  AddWork(report, &section);
  AddTaxRecovered(report, &section);
  return section;
}

}  // namespace stint
