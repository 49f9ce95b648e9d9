#include "cli/commands/plan/plan_variants.h"

#include <cstdio>

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

Json VariantsJson(const std::vector<BudgetVariant>& variants) {
  Json list = Json::array();
  for (const BudgetVariant& variant : variants) {
    Json json;
    json["change"] = variant.change;
    json["latency_ms"] =
        static_cast<double>(variant.budget.latency.count()) * 1e-6;
    json["memory_bytes"] = variant.budget.memory_bytes;
    json["feasible"] = variant.plan.ok();
    if (variant.plan.ok()) {
      json["bits_mean"] = variant.plan->mean_bits;
      json["loss"] = variant.plan->loss;
      json["predicted_ms"] = variant.plan->predicted_ms;
    }
    list.push_back(std::move(json));
  }
  return list;
}

std::string VariantsTable(const PlanReport& plan,
                          const std::vector<BudgetVariant>& variants) {
  if (variants.empty()) return "";
  std::string text = "what a little more or less would buy\n";
  char line[256];
  for (const BudgetVariant& variant : variants) {
    if (!variant.plan.ok()) {
      text += "  " + variant.change + ": nothing fits\n";
      continue;
    }
    std::snprintf(
        line, sizeof(line),
        "  %-13s  %.2f bits (%+.2f), loss %.4g (%+.1f %%), %s\n",
        variant.change.c_str(), variant.plan->mean_bits,
        variant.plan->mean_bits - plan.mean_bits, variant.plan->loss,
        plan.loss > 0 ? 100 * (variant.plan->loss / plan.loss - 1) : 0.0,
        FormatMs(variant.plan->predicted_ms).c_str());
    text += line;
  }
  return text;
}

}  // namespace stint::cli
