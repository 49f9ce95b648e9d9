#pragma once
// The search for one layer's schedule: starts and neighbors' schedules, then
// generations of mutations and crossings of the best, of which a cost model
// says which to try. Generations are called one by one, so that layers can
// share a budget of time.

#include <set>
#include <string>
#include <vector>

#include "lab/tune/cost_model.h"
#include "lab/tune/plan_timer.h"
#include "lab/tune/trial_database.h"

namespace stint {

struct RankedPlan {
  ConvPlan plan;
  double us = 0;
};

class LayerSearch {
 public:
  // `current` is what would run otherwise.
  LayerSearch(std::string layer, const TuneProblem& problem,
              const ConvPlan& current, uint64_t seed);

  // Schedules worth a trial before others: those of similar layers.
  void Suggest(const std::vector<ConvPlan>& plans);
  // What earlier sessions timed of this layer: the best are timed again, the
  // others not.
  void Remember(const std::vector<Trial>& trials);
  // Only compiled kernels: where code cannot be generated.
  void LeaveOutGenerated();

  // Times a few more plans; what was new. Nothing when all were tried.
  Result<std::vector<Trial>> Generation(const CostModel& model,
                                        PlanTimer* timer);

  const TuneProblem& problem() const { return problem_; }
  const std::string& layer() const { return layer_; }
  // Fastest first. Times are shares of those of `current`, times its first.
  const std::vector<RankedPlan>& ranked() const { return ranked_; }
  double current_us() const { return current_us_; }  // 0: never timed
  int trials() const { return trials_; }
  int idle_generations() const { return idle_; }
  bool exhausted() const { return exhausted_; }

 private:
  std::vector<ConvPlan> Batch(const CostModel& model);
  std::vector<ConvPlan> Children();
  const ConvPlan& BestOfSome();
  void Rank(const CostModel& model, std::vector<ConvPlan>* plans);
  void Add(const ConvPlan& plan, double us);

  std::string layer_;
  TuneProblem problem_;
  ScheduleSpace space_;
  Random random_;
  std::vector<ConvPlan> queue_;  // to be tried before others
  std::set<std::string> tried_;
  std::vector<RankedPlan> ranked_;
  ConvPlan current_;
  double current_us_ = 0;
  int trials_ = 0;
  int idle_ = 0;
  bool exhausted_ = false;
};

}  // namespace stint
