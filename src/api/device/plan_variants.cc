#include "engine/elastic/plan_variants.h"

#include "api/device/session_state.h"
#include "stint/session.h"

namespace stint {

Result<std::vector<Result<PlanReport>>> Session::PlanVariants(
    const std::vector<Budget>& budgets) const {
  if (state_->elastic == nullptr || state_->elastic->plan().layers.empty()) {
    return InvalidArgument("there is no plan yet of which to make variants");
  }
  return stint::PlanVariants(state_->elastic->whole_problem(),
                             state_->options.policy, budgets);
}

}  // namespace stint
