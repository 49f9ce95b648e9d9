#pragma once
// What a little more or less of each budget would buy.

#include <string>
#include <vector>

#include "cli/options/run_options.h"
#include "stint/session.h"

namespace stint::cli {

struct BudgetVariant {
  std::string change;  // "memory +1 MB"
  Budget budget;
  Result<PlanReport> plan;
};

// One MB and one ms more and less than the budget, of those that it limits.
Result<std::vector<BudgetVariant>> NearbyBudgets(const Budget& budget,
                                                 const Session& session);

Json VariantsJson(const std::vector<BudgetVariant>& variants);
// A line each, compared with the plan; empty without a variant.
std::string VariantsTable(const PlanReport& plan,
                          const std::vector<BudgetVariant>& variants);

}  // namespace stint::cli
