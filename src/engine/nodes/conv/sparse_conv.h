#pragma once
// A convolution on blocked images whose weights are mostly 0.

#include <vector>

#include "engine/choose/sparse_choice.h"
#include "engine/nodes/nodes.h"

namespace stint {

// `kernel` is null where a dense kernel is to run, and `choice` says why.
struct SparseConvNode {
  NodeKernelPtr kernel;
  SparseChoice choice;
};

// `bias` has zeros up to a block, or is empty.
SparseConvNode MakeSparseConv(const BlockedConv& op, const InferContext& ctx,
                              const std::vector<float>& bias,
                              const KernelSite& site);

}  // namespace stint
