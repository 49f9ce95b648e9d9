#pragma once
// What the curves of a framework-tax study say together.

#include "lab/tax/tax_report.h"

namespace stint {

// Fills `ratio_to_stint` of every point that stint has, too.
void AddRatios(TaxReport* report);

// Fills `recovered`: what each estimator finds that runs of stint with a known
// delay after each step (stint:delay=TIME) have more than plain ones.
void CheckEstimators(TaxReport* report);

// Fills `regressions`, for runtimes with at least three models.
void AddRegressions(TaxReport* report);

}  // namespace stint
