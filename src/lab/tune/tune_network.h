#pragma once
// `stint tune`: finds schedules for the convolutions of a network within a
// budget of time, and keeps those that make it faster as a whole.

#include <functional>
#include <string>
#include <vector>

#include "lab/tune/network_timer.h"
#include "lab/tune/share_budget.h"

namespace stint {

struct TuneNetworkOptions {
  KernelSite site;  // with the measured primitives that are known
  ThreadPool* pool = nullptr;
  double budget_seconds = 600;
  int trials = 1000;  // of a layer at most
  uint64_t seed = 1;
  std::string folder;                 // where schedules and trials are kept
  std::function<bool()> interrupted;  // may be empty
  std::function<void(const TuneProgress&)> progress;  // may be empty
};

// Times are of all nodes of the layer in one run of the network.
struct TunedLayerReport {
  std::string layer;
  int count = 0;
  int trials = 0;
  double untuned_us = 0;
  double default_us = 0;
  double tuned_us = 0;
  std::string plan;  // empty: what runs by default won
};

struct TuneReport {
  double untuned_ms = 0;
  double default_ms = 0;
  double tuned_ms = 0;
  std::vector<TunedLayerReport> layers;
  int trials = 0;
  double seconds = 0;
  bool interrupted = false;
  std::string note;  // why no code was generated; empty: it was
};

// Results go into the schedule file of the folder, every trial at once into the
// trial database beside it. kDamaged when one of them cannot be used; both are
// then left as they are.
Result<TuneReport> TuneNetwork(const Graph& graph, std::vector<Value> inputs,
                               const TuneNetworkOptions& options);

}  // namespace stint
