#include "engine/run/executable.h"

#include "core/platform/memory/memory.h"

namespace stint {

Result<PlanReport> Executable::PlanFor(std::span<const Value>) {
  return InvalidArgument("the session does not run on codes: nothing to plan");
}

Status Executable::SetBudget(const Budget&) {
  return InvalidArgument("the session does not run on codes: no budgets");
}

Result<std::string> Executable::SavePlan() const {
  return InvalidArgument("there is no plan yet");
}

Result<std::vector<Result<PlanReport>>> Executable::PlanVariants(
    std::span<const Budget>) const {
  return InvalidArgument("there is no plan yet of which to make variants");
}

Status CheckPeakMemory(int64_t budget_bytes) {
  if (budget_bytes == 0) return OkStatus();
  const int64_t peak = PeakResidentBytes();
  if (peak <= budget_bytes) return OkStatus();
  return BudgetInfeasible("memory " + std::to_string(budget_bytes) +
                          " bytes: the process has taken " +
                          std::to_string(peak));
}

}  // namespace stint
