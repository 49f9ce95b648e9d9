#pragma once
// A convolution on blocked images whose weights are mostly 0.

#include <vector>

#include "engine/nodes/nodes.h"

namespace stint {

// Null where a dense kernel is to be preferred, or another primitive is forced.
// `bias` has zeros up to a block, or is empty.
NodeKernelPtr MakeSparseConv(const BlockedConv& op, const InferContext& ctx,
                             const std::vector<float>& bias,
                             const KernelSite& site);

}  // namespace stint
