#pragma once
// Parts of `stint plan`: the plan for people, what a little more or less of
// each budget would buy, and a picture of what storage and the processor do
// when.

#include <string>
#include <vector>

#include "cli/options/run_options.h"
#include "lab/report/report.h"
#include "stint/budget.h"
#include "stint/session.h"

namespace stint::cli {

double MeanBitsOf(const std::vector<int>& bits);
// "4", or "2-5 (3.2)" where slices differ.
std::string BitsCell(const std::vector<int>& bits);
struct BudgetVariant {
  std::string change;  // "memory +1 MB"
  Budget budget;
  Result<PlanReport> plan;
};

// One MB and one ms more and less than the budget, of those that it limits.
Result<std::vector<BudgetVariant>> NearbyBudgets(const Budget& budget,
                                                 const Session& session);

Json VariantsJson(const std::vector<BudgetVariant>& variants);
Table VariantsTable(const std::vector<BudgetVariant>& variants);

// The plan for people: sentences, layers with a timeline, and variants.
ReportSection PlanSection(const PlanReport& plan,
                          const std::vector<BudgetVariant>& variants);
// What the process takes besides weights, item by item.
Table MemoryTable(const PlanReport& plan);
void AddMemory(const PlanReport& plan, ReportSection* section);

// SVG with two lanes over time, a box per layer and lane with its bits; what
// joins the two boxes of a layer leans by its slack: it has the color of
// waiting where a layer computes as soon as it has been read. `latency_ms` is
// the budget, 0: none.
std::string PlanPicture(const PlanReport& plan, double latency_ms);

}  // namespace stint::cli
