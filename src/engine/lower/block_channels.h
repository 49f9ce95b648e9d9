#pragma once
// Moves convolutional stretches of a graph to images with blocked channels.
// Conversions stand only where such a stretch begins and ends.

#include "engine/bind/kernel_site.h"
#include "model/graph/graph.h"

namespace stint {

Status BlockChannels(const KernelSite& site, Graph* graph);

}  // namespace stint
