#pragma once
// A convolution on blocked images whose weights are held in two bytes each.

#include <vector>

#include "engine/nodes/nodes.h"

namespace stint {

// `bias` has zeros up to a block, or is empty.
NodeKernelPtr MakeBlockedConvBf16(const BlockedConv& op, const Tensor& weights,
                                  std::vector<float> bias,
                                  const KernelSite& site);

}  // namespace stint
