#pragma once
// Recovery without gradients, by least squares: what is left of each layer is
// fitted anew, so that it gives what the original gave, from what the layers
// before it give now.

#include <map>
#include <vector>

#include "convert/compress/fit_weights.h"
#include "convert/compress/layerwise_run.h"

namespace stint {

struct RefitOptions {
  FitOptions fit;
  // Of layers one after the other behind a change, so many are fitted and the
  // others stay as they are; 0: all are.
  int reach = 0;
  // Channels that nodes kept of those that the original has; nodes that are
  // not there kept all.
  std::map<NodeId, std::vector<int64_t>> kept = {};
};

// `graph` is a clone of `original` with constants and inputs of nodes changed.
// Layers are fitted in order: convolutions over images of two dimensions, of
// one group or by channel, and linear layers. One that is added to something
// makes up for what that has lost as well. Weights that are 0 stay 0, and so do
// layers before everything that was changed. Returns
// how many layers were fitted.
Result<int> RefitLayers(const Graph& original, const Samples& samples,
                        const RefitOptions& options, ThreadPool* pool,
                        Graph* graph);

}  // namespace stint
