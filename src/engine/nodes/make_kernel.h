#pragma once
// A kernel for any op.

#include <memory>

#include "engine/bind/node_kernel.h"
#include "model/ops/op.h"

namespace stint {

// The best kernel for an op on inputs of these types; `ctx` has been through
// InferTypes, and constant inputs stay the same for the kernel's lifetime.
// Falls back to reference evaluation.
Result<std::unique_ptr<NodeKernel>> MakeKernel(const Op& op,
                                               const InferContext& ctx,
                                               const KernelSite& site);

// Prepare, scratch and one Run, for a step that runs only once as it is.
Status RunOnce(NodeKernel* kernel, EvalContext* ctx);

}  // namespace stint
