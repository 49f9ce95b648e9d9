#pragma once
// The schedules that are worth a trial on one layer: what registers and caches
// hold, by primitive, with random members, mutations and crossings.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "lab/tune/schedule_menu.h"

namespace stint {

class ScheduleSpace {
 public:
  // Without `generated` only kernels that were compiled.
  explicit ScheduleSpace(const TuneProblem& problem, bool generated = true);

  // Every primitive with all choices its own, and what usually does well.
  std::vector<ConvPlan> Starts() const;
  ConvPlan Random(stint::Random* random) const;
  // Another value for one choice.
  ConvPlan Mutate(const ConvPlan& plan, stint::Random* random) const;
  // Each choice from one of both, which are of one primitive.
  ConvPlan Cross(const ConvPlan& a, const ConvPlan& b,
                 stint::Random* random) const;
  // Whether all choices of a plan of another layer are ones of this.
  bool Contains(const ConvPlan& plan) const;
  // All there are; as many as Count() when that is small.
  int64_t Count() const;
  const std::vector<std::string>& primitives() const { return names_; }

 private:
  const ScheduleMenu* MenuOf(const std::string& primitive) const;
  static void Choose(const ScheduleMenu& menu, int list, stint::Random* random,
                     ConvSchedule* schedule);

  std::vector<std::string> names_;
  std::vector<ScheduleMenu> menus_;
};

}  // namespace stint
