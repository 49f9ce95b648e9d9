#pragma once
// Squeeze and excite: where a convolution of single pixels reads an image times
// one number per channel, its weights can be multiplied instead.

#include "engine/bind/kernel_site.h"
#include "model/graph/graph.h"

namespace stint {

// Gives such convolutions on blocked images the gate as their last input and
// takes the product out. Fires only in float32, where nobody else reads the
// product and the weights are smaller than the image.
Status GateWeights(const KernelSite& site, Graph* graph);

}  // namespace stint
