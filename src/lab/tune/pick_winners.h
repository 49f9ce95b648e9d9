#pragma once
// Which of the schedules that did well alone are kept: those that make their
// layer faster within the network, if the network as a whole is faster.

#include "lab/tune/network_timer.h"
#include "lab/tune/search_layer.h"

namespace stint {

// What was found for one layer.
struct LayerFinds {
  std::string layer;
  ConvPlan current;                // what runs by default
  double current_us = 0;           // alone
  std::vector<RankedPlan> ranked;  // fastest first
};

// Up to `most` sets of schedules: the best of each layer, then for each layer
// the best that is of another kind (primitive, threads or blocks of its tile)
// than those of the sets before, as long as it is nearly as fast. A layer whose
// turn it is to run as by default is not in the set.
std::vector<ConvSchedules> MakeFinalists(const std::vector<LayerFinds>& finds,
                                         size_t most);

// Of each layer the schedule of the set with the least time in the network,
// where that is clearly less than by default; `times` has the default first,
// then the sets.
ConvSchedules PickWinners(const std::vector<ConvSchedules>& sets,
                          const std::vector<NetworkTimes>& times);

// Times `winners` against the default and the fixed schedule; what is left in
// `winners` is what makes the network as a whole fastest: them, none of them,
// or `untuned`, the fixed schedule of every layer.
struct NetworkVerdict {
  NetworkTimes untuned;
  NetworkTimes by_default;
  NetworkTimes tuned;  // of what is kept
};
Result<NetworkVerdict> JudgeWinners(const ConvSchedules& untuned,
                                    NetworkTimer* timer, double seconds,
                                    ConvSchedules* winners);

}  // namespace stint
