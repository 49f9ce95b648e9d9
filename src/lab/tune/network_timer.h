#pragma once
// Times of a whole network by several sets of schedules, in turns: of runs, and
// of each of its convolutions within them.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/device/conv_schedules.h"
#include "engine/profile/conv_layers.h"

namespace stint {

// One way to run the network.
struct NetworkVariant {
  ScheduleMode mode = ScheduleMode::kDefault;
  std::shared_ptr<const ConvSchedules> schedules;  // for kTuned
};

// Low quantiles over the runs, in microseconds.
struct NetworkTimes {
  double run_us = 0;
  std::map<std::string, double> layer_us;  // all nodes of a layer together
};

class NetworkTimer {
 public:
  virtual ~NetworkTimer() = default;
  // In the order of `variants`; takes about `seconds`.
  virtual Result<std::vector<NetworkTimes>> Time(
      const std::vector<NetworkVariant>& variants, double seconds) = 0;
};

struct NetworkTimerOptions {
  const Graph* graph = nullptr;  // not lowered
  std::vector<Value> inputs;
  std::vector<ConvLayer> layers;
  KernelSite site;
  ThreadPool* pool = nullptr;
};
std::unique_ptr<NetworkTimer> MakeNetworkTimer(NetworkTimerOptions options);

}  // namespace stint
