// The tax by its estimators, and the estimators on an overhead of known size.

#include <cmath>

#include "lab/report/tax_parts.h"

namespace stint {
namespace {

std::string Joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : "; ") + text;
  return all;
}

std::vector<TableCell> TaxRow(const TaxCurve& curve) {
  std::optional<double> floor, bend, fixed, fixed_low, fixed_high, per_node,
      share;
  std::string care =
      curve.status == "ok" ? "" : curve.status + ": " + curve.reason;
  if (curve.hinge) {
    floor = FigureOf(curve.hinge->floor_ms);
    bend = FigureOf(curve.hinge->crossover);
    fixed = curve.hinge->fixed_ms.value;
    fixed_low = curve.hinge->fixed_ms.KnownLow();
    fixed_high = curve.hinge->fixed_ms.KnownHigh();
    if (care.empty()) care = Joined(curve.hinge->warnings);
  }
  if (!curve.note.empty()) care += (care.empty() ? "" : "; ") + curve.note;
  if (curve.twin_ms && curve.size.nodes > 0) {
    per_node =
        curve.twin_ms->value * 1e3 / static_cast<double>(curve.size.nodes);
  }
  if (curve.twin_ms && !curve.points.empty()) {
    share = curve.twin_ms->value / curve.points[0].run_ms.value;
  }
  return {curve.model,
          curve.runtime,
          curve.version,
          FigureOf(curve.twin_ms),
          share,
          per_node,
          curve.OutsideMs(),
          fixed,
          fixed_low,
          fixed_high,
          floor,
          bend,
          curve.kernels,
          curve.max_difference,
          care};
}

}  // namespace

void AddTaxEstimates(const TaxReport& report, ReportSection* section) {
  Figure figure;
  figure.title = "The tax by three estimators";
  figure.caption =
      "Tiny twin: the same graph with minimal widths, so that kernels cost "
      "next "
      "to nothing (us per operator below, with the interval over processes). "
      "Outside: unprofiled time less kernel time. Fixed: what does not grow "
      "with the batch, tax and weight traffic together.";
  figure.table.columns = {
      "model",      "runtime",        "version",
      "twin_ms",    "twin_share",     "twin_us_per_operator",
      "outside_ms", "fixed_ms",       "fixed_low",
      "fixed_high", "floor_ms",       "crossover",
      "kernels",    "max_difference", "care"};
  Plot plot;
  plot.x = {"us per operator, by the tiny twin", true};
  PlotSeries twins{"twin", PlotMark::kDots, {}};
  for (const TaxCurve& curve : report.curves) {
    if (curve.axis != "batch") continue;
    figure.table.rows.push_back(TaxRow(curve));
    if (!curve.twin_ms || curve.size.nodes == 0 || !IsTaxRuntime(curve))
      continue;
    const double scale = 1e3 / static_cast<double>(curve.size.nodes);
    twins.points.push_back({curve.twin_ms->value * scale,
                            static_cast<double>(plot.rows.size()),
                            {},
                            {},
                            ""});
    if (curve.twin_ms->known()) {
      twins.points.back().low = curve.twin_ms->low * scale;
      twins.points.back().high = curve.twin_ms->high * scale;
    }
    plot.rows.push_back(curve.model + ", " + curve.runtime);
  }
  if (!plot.rows.empty()) {
    plot.series = {std::move(twins)};
    figure.plots.push_back(std::move(plot));
  }
  if (!figure.table.rows.empty()) section->figures.push_back(std::move(figure));
}

void AddTaxRecovered(const TaxReport& report, ReportSection* section) {
  if (report.recovered.empty()) return;
  Figure figure;
  figure.title = "Estimators on an overhead of known size";
  figure.caption =
      "stint with a delay of known length after each step, against plain "
      "stint: "
      "what each estimator finds of it. Within 10 % is good.";
  figure.table.columns = {"model",        "estimator", "injected_ms",
                          "recovered_ms", "error",     "within_10_percent"};
  Plot plot;
  plot.x = {"found over injected", false};
  plot.reference = 1;
  PlotSeries found{"found", PlotMark::kDots, {}};
  for (const RecoveredOverhead& row : report.recovered) {
    const bool good = std::abs(row.error()) <= kRecoverableError;
    figure.table.rows.push_back({row.model, row.estimator, row.injected_ms,
                                 row.recovered_ms, row.error(),
                                 good ? "yes" : "no"});
    found.points.push_back({row.recovered_ms / row.injected_ms,
                            static_cast<double>(plot.rows.size()),
                            {},
                            {},
                            ""});
    plot.rows.push_back(row.model + ", " + row.estimator);
  }
  plot.series = {std::move(found)};
  figure.plots = {std::move(plot)};
  section->figures.push_back(std::move(figure));
}

}  // namespace stint
