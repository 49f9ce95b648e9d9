#pragma once
// Measures every primitive that fits on every distinct convolution of a graph.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/bind/kernel_site.h"
#include "engine/device/conv_costs.h"
#include "model/graph/graph.h"
#include "stint/tensor.h"

namespace stint {

class ThreadPool;

struct TunedLayer {
  std::string layer;  // as ConvLayerName
  int count = 0;      // convolutions of the graph that are like this
  std::string default_primitive;
};

struct TuneOptions {
  KernelSite site;
  ThreadPool* pool = nullptr;
  std::function<void(int64_t done, int64_t total)> progress;  // may be empty
};

// Times of primitives are taken in turns, each turn with other weights as in a
// forward pass, and the low quantile counts. Layers that only one primitive
// fits are left out. `graph` is not lowered; results go into `costs`.
Result<std::vector<TunedLayer>> TuneConvolutions(const Graph& graph,
                                                 std::span<const Value> inputs,
                                                 const TuneOptions& options,
                                                 ConvCosts* costs);

}  // namespace stint
