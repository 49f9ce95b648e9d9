#include "cli/commands/plan/plan_parts.h"
#include "lab/report/study_json.h"

namespace stint::cli {
namespace {

constexpr int64_t kStepBytes = 1'000'000;
constexpr std::chrono::nanoseconds kStepLatency = std::chrono::milliseconds(1);

struct Change {
  std::string name;
  Budget budget;
};

// What would leave nothing of a budget is left out.
std::vector<Change> ChangesOf(const Budget& budget) {
  std::vector<Change> changes;
  for (int sign : {1, -1}) {
    Change change{sign > 0 ? "memory +1 MB" : "memory -1 MB", budget};
    change.budget.memory_bytes += sign * kStepBytes;
    if (budget.memory_bytes > 0 && change.budget.memory_bytes > 0) {
      changes.push_back(change);
    }
  }
  for (int sign : {1, -1}) {
    Change change{sign > 0 ? "latency +1 ms" : "latency -1 ms", budget};
    change.budget.latency += sign * kStepLatency;
    if (budget.latency.count() > 0 && change.budget.latency.count() > 0) {
      changes.push_back(change);
    }
  }
  return changes;
}

}  // namespace

Result<std::vector<BudgetVariant>> NearbyBudgets(const Budget& budget,
                                                 const Session& session) {
  const std::vector<Change> changes = ChangesOf(budget);
  std::vector<Budget> budgets;
  for (const Change& change : changes) budgets.push_back(change.budget);
  STINT_ASSIGN_OR_RETURN(const auto plans, session.PlanVariants(budgets));
  std::vector<BudgetVariant> variants;
  for (size_t i = 0; i < changes.size(); ++i) {
    variants.push_back({changes[i].name, changes[i].budget, plans[i]});
  }
  return variants;
}

Table VariantsTable(const std::vector<BudgetVariant>& variants) {
  Table table;
  table.columns = {"change",    "latency_ms", "memory_bytes", "feasible",
                   "bits_mean", "loss",       "predicted_ms"};
  table.brief = {"change", "feasible", "bits_mean", "loss", "predicted_ms"};
  for (const BudgetVariant& variant : variants) {
    const std::optional<PlanReport> plan =
        variant.plan.ok() ? std::optional(*variant.plan) : std::nullopt;
    const auto known = [&](double figure) {
      return plan ? std::optional(figure) : std::nullopt;
    };
    table.rows.push_back(
        {variant.change,
         static_cast<double>(variant.budget.latency.count()) * 1e-6,
         variant.budget.memory_bytes, YesNo(plan.has_value()),
         known(plan ? plan->mean_bits : 0), known(plan ? plan->loss : 0),
         known(plan ? plan->predicted_ms : 0)});
  }
  return table;
}

Json VariantsJson(const std::vector<BudgetVariant>& variants) {
  Json list = RowsJson(VariantsTable(variants));
  for (Json& variant : list) {
    if (variant["feasible"].get<bool>()) continue;
    for (const char* key : {"bits_mean", "loss", "predicted_ms"}) {
      variant.erase(key);
    }
  }
  return list;
}

}  // namespace stint::cli
