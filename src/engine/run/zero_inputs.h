#pragma once
// Inputs to bind a graph with when there are none yet.

#include <vector>

#include "model/graph/graph.h"

namespace stint {

// What dimensions that vary are taken to be: those whose name says "batch" or
// "seq", the height and width of images, and 1 for all others.
struct NominalSizes {
  int64_t batch = 1;
  int64_t sequence = 128;
  int64_t image = 224;
};

// Zeros for every input. kUnsupported when one is not a tensor or has no rank.
Result<std::vector<Value>> ZeroInputs(const Graph& graph,
                                      const NominalSizes& sizes);

}  // namespace stint
