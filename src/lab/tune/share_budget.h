#pragma once
// Spends a budget of time on the layers of a network: each turn goes to the
// layer whose next generation promises most, by its share of the network's time
// and by what its last ones still gained.

#include <functional>
#include <string>
#include <vector>

#include "lab/tune/search_layer.h"

namespace stint {

// One layer's search and its weight in the network.
struct TuneTask {
  LayerSearch search;
  double share = 0;  // of the network's time, by all layers that are like it
};

struct TuneProgress {
  size_t task = 0;  // from 1
  size_t tasks = 0;
  std::string layer;
  double best_ms = 0;
  int trials = 0;
  int most_trials = 0;
};

struct ShareOptions {
  int trials = 0;       // of a layer at most
  double deadline = 0;  // on the clock of `now`, in seconds
  std::function<double()> now;
  std::function<bool()> interrupted;  // may be empty
  std::function<Result<std::unique_ptr<PlanTimer>>(const TuneProblem&)> timer;
  // Told of all trials of a generation at once, before the next one.
  std::function<Status(const std::vector<Trial>&)> record;
  std::function<void(const TuneProgress&)> progress;  // may be empty
};

// Ends at the deadline, when interrupted, when every layer has had its trials,
// or when no layer gains any more. `known` are trials of this machine, for the
// cost model and for schedules of similar layers; those that are made here are
// added.
Status SearchLayers(const ShareOptions& options, std::vector<Trial>* known,
                    std::vector<TuneTask>* tasks);

// The best plans of the layers in `known` that are most like `problem`, those
// of the nearest first.
std::vector<ConvPlan> NeighborPlans(const std::vector<Trial>& known,
                                    const std::string& layer,
                                    const TuneProblem& problem);

}  // namespace stint
