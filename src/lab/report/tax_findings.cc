// What a framework-tax study says in words.

#include <cmath>

#include "lab/report/sections.h"
#include "lab/report/tax_parts.h"

namespace stint {
namespace {

// "framework-bound until batch 4 (F = 3.1 ms)" or what keeps it from being so.
std::string BoundOf(const TaxCurve& curve) {
  const HingeEstimate& hinge = *curve.hinge;
  if (hinge.crossover) {
    return "framework-bound until batch " +
           EstimateText(*hinge.crossover, "%.2g", kNeedsRounds) + " at " +
           FormatNumber("%.3g ms", hinge.floor_ms->value);
  }
  return "no floor from batch " + FormatNumber("%.0f", curve.points[0].size) +
         " on: compute-bound, fixed part " +
         FormatNumber("%.3g ms", hinge.fixed_ms.value);
}

std::string TwinOf(const TaxCurve& curve) {
  if (!curve.twin_ms || curve.size.nodes == 0) return "";
  return "; tax by the twin " + FormatNumber("%.3g ms", curve.twin_ms->value) +
         ", " +
         FormatNumber("%.2g us", curve.twin_ms->value * 1e3 /
                                     static_cast<double>(curve.size.nodes)) +
         " per operator, " +
         FormatNumber("%.0f %%", 100 * curve.twin_ms->value /
                                     curve.points[0].run_ms.value) +
         " of its smallest batch";
}

void AddRecoveredFinding(const TaxReport& report, ReportSection* section) {
  if (report.recovered.empty()) return;
  std::string missed;
  for (const RecoveredOverhead& row : report.recovered) {
    if (std::abs(row.error()) <= kRecoverableError) continue;
    missed += (missed.empty() ? "" : ", ") + row.estimator + " on " +
              row.model + " " + FormatNumber("%+.0f %%", row.error() * 100);
  }
  section->findings.push_back(
      missed.empty()
          ? "Every estimator finds the overhead of known size within 10 %."
          : "Estimators that miss the overhead of known size by more than "
            "10 %: " +
                missed + ".");
}

}  // namespace

bool IsTaxRuntime(const TaxCurve& curve) {
  return !curve.runtime.starts_with("stint:");
}

std::optional<double> FigureOf(const std::optional<Estimate>& estimate) {
  if (!estimate) return std::nullopt;
  return estimate->value;
}

void AddTaxFindings(const TaxReport& report, ReportSection* section) {
  for (const TaxCurve& curve : report.curves) {
    if (curve.axis != "batch" || curve.points.empty() || !curve.hinge ||
        !IsTaxRuntime(curve)) {
      continue;
    }
    section->findings.push_back(curve.model + ", " + curve.runtime + ": " +
                                BoundOf(curve) + TwinOf(curve) + ".");
  }
  AddRecoveredFinding(report, section);
}

}  // namespace stint
