#pragma once
// Parts of the section of a framework-tax study.

#include <optional>

#include "lab/report/report.h"
#include "lab/tax/tax_report.h"

namespace stint {

// What an estimator may be off by when the overhead is known.
inline constexpr double kRecoverableError = 0.1;

// stint without kernels or with a delay checks the estimators; it is in the
// tables, not among the runtimes of the plots.
bool IsTaxRuntime(const TaxCurve& curve);

std::optional<double> FigureOf(const std::optional<Estimate>& estimate);

void AddTaxFindings(const TaxReport& report, ReportSection* section);
void AddTaxEstimates(const TaxReport& report, ReportSection* section);
void AddTaxRecovered(const TaxReport& report, ReportSection* section);

}  // namespace stint
