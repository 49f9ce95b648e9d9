#pragma once
// A convolution whose weights are codes that come for the run.

#include <vector>

#include "engine/nodes/nodes.h"

namespace stint {

// `block` is the number of channels side by side in images of rank 5. Null when
// the weights are of another size, or there are groups.
NodeKernelPtr MakeConvCodes(const FusedConv& op, int64_t block,
                            const Shape& weights, std::vector<float> bias,
                            const KernelSite& site);

}  // namespace stint
