#pragma once
// What the curves of a framework-tax study say together.

#include "lab/tax/tax_report.h"

namespace stint {

// Fills `recovered`: what each estimator finds that runs with `delay_us` after
// each step have more than plain ones.
void CheckEstimators(double delay_us, TaxReport* report);

// Fills `regressions`, for runtimes with at least three models.
void AddRegressions(TaxReport* report);

}  // namespace stint
