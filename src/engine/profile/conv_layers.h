#pragma once
// The distinct convolutions of a graph, as its kernels will see them.

#include <span>
#include <string>
#include <vector>

#include "engine/bind/kernel_site.h"
#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"
#include "model/graph/graph.h"
#include "stint/tensor.h"

namespace stint {

class ThreadPool;

struct ConvLayer {
  std::string name;  // as ConvLayerName
  ConvF32Shape shape;
  ImageLayout input;
  std::vector<std::string> nodes;  // convolutions of the graph that are like it
  bool pruned = false;             // weights of any of them have many zeros

  int count() const { return static_cast<int>(nodes.size()); }
};

// In the order of the graph, which is not lowered yet.
Result<std::vector<ConvLayer>> FindConvLayers(const Graph& graph,
                                              std::span<const Value> inputs,
                                              const KernelSite& site,
                                              ThreadPool* pool);

}  // namespace stint
