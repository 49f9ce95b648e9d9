#pragma once
// Recovery without gradients, by least squares: what is left of each layer is
// fitted anew, so that it gives what the original gave, from what the layers
// before it give now.

#include <map>
#include <string>
#include <vector>

#include "convert/compress/repair/fit_weights.h"
#include "convert/compress/repair/layerwise_run.h"

namespace stint {

struct RefitOptions {
  FitOptions fit;
  // Of layers one after the other behind a change, so many are fitted and the
  // others stay as they are; 0: all are.
  int reach = 0;
  // Channels that nodes kept of those that the original has; nodes that are
  // not there kept all.
  std::map<NodeId, std::vector<int64_t>> kept = {};
  // For what is alive between layers, of all samples; and for the sums of one
  // layer, where wider ones stay as they are.
  int64_t kept_bytes = 256 << 20;
  int64_t sum_bytes = 512 << 20;
};

// How far what a layer gives on samples that are held back is from what it
// should give, relative to its size: as it was, and fitted.
struct FittedLayer {
  std::string name;
  double before = 0;
  double after = 0;
  bool kept = false;   // false: stays as it was
  std::string reason;  // why it was not even fitted; empty: it was
};

// `graph` is a clone of `original` with constants and inputs of nodes changed.
// Layers are fitted in order: convolutions over images of two dimensions, of
// one group or by channel, and linear layers, with a bias that is added to what
// they give. One that is added to something makes up for what that has lost as
// well. Weights that are 0 stay 0, and so do layers before everything that was
// changed. A fit is kept where it is the nearer on samples that are held back;
// where there are none, always. Returns the layers in order.
Result<std::vector<FittedLayer>> RefitLayers(const Graph& original,
                                             const RepairSamples& samples,
                                             const RefitOptions& options,
                                             ThreadPool* pool, Graph* graph);

}  // namespace stint
