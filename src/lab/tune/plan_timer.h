#pragma once
// Times of schedules of one layer, taken in turns.

#include <functional>
#include <memory>
#include <vector>

#include "core/platform/thread_pool.h"
#include "lab/tune/schedule_space.h"

namespace stint {

class PlanTimer {
 public:
  virtual ~PlanTimer() = default;
  // Microseconds of each plan; 0 for one that cannot run. Those that are far
  // from the best get few turns, the first gets all.
  virtual Result<std::vector<double>> Time(
      const std::vector<ConvPlan>& plans) = 0;
};

// On random weights and pixels. Turns rotate through copies of the weights that
// together take `weight_bytes`, as a forward pass through a network of that
// size would. Once `expired` says so, it ends after as few turns as it can.
// `pool` must outlive it.
Result<std::unique_ptr<PlanTimer>> MakePlanTimer(const TuneProblem& problem,
                                                 int64_t weight_bytes,
                                                 std::function<bool()> expired,
                                                 ThreadPool* pool);

}  // namespace stint
