#pragma once
// Groups of a convolution that are narrower than a block of channels become
// wider ones with zero weights between them, so that the convolution runs on
// blocks: for groups of 4 channels four times the products, at less than half
// the time of the plain layout and without conversions.

#include "engine/bind/kernel_site.h"
#include "model/graph/graph.h"

namespace stint {

// Leaves alone groups that fit blocks, single channels, and what would multiply
// the weights by more than 4.
Status MergeGroups(const KernelSite& site, Graph* graph);

}  // namespace stint
