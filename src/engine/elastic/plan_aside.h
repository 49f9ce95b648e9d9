#pragma once
// A plan made beside the runs, which go on by the plan before.

#include <future>
#include <string>

#include "engine/plan/choose_plan.h"

namespace stint {

class PlanAside {
 public:
  // Begins at once, on a thread of its own where there can be one. Where no
  // plan keeps the latency it finds the fastest.
  PlanAside(std::string policy, PlanProblem problem);
  // Waits for the thread.
  ~PlanAside() = default;

  bool ready() const;
  // Once, when ready.
  Result<ChosenPlan> Take() { return chosen_.get(); }
  const PlanProblem& problem() const { return problem_; }

 private:
  const std::string policy_;
  const PlanProblem problem_;
  std::future<Result<ChosenPlan>> chosen_;  // last: it reads the others
};

}  // namespace stint
