#pragma once
// Makes images in bf16 of those that only convolutions in bf16 and pools of
// maxima make and read: they are rounded anyway, and half the bytes move.

#include "engine/bind/kernel_site.h"
#include "model/graph/graph.h"

namespace stint {

// Whether something changed; types are then to be inferred again.
bool NarrowImages(const KernelSite& site, Graph* graph);

}  // namespace stint
