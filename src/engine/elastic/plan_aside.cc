#include "engine/elastic/plan_aside.h"

#include <chrono>
#include <system_error>
#include <utility>

namespace stint {

PlanAside::PlanAside(std::string policy, PlanProblem problem)
    : policy_(std::move(policy)), problem_(std::move(problem)) {
  const auto choose = [this] { return ChoosePlan(policy_, problem_, true); };
  try {
    chosen_ = std::async(std::launch::async, choose);
  } catch (const std::system_error&) {
    chosen_ = std::async(std::launch::deferred, choose);  // by Take()
  }
}

bool PlanAside::ready() const {
  return chosen_.wait_for(std::chrono::seconds(0)) !=
         std::future_status::timeout;
}

}  // namespace stint
