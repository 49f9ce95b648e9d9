#pragma once
// The code that runs one node: chosen once when a session is prepared, holding
// what does not depend on shapes (packed weights, function pointers).

#include <memory>

#include "engine/bind/eval_context.h"
#include "engine/bind/kernel_site.h"
#include "model/ops/op.h"

namespace stint {

class NodeKernel {
 public:
  virtual ~NodeKernel() = default;

  // Bytes of scratch that Run needs with the inputs and outputs of `ctx`.
  virtual size_t ScratchBytes(const EvalContext& ctx) const {
    (void)ctx;
    return 0;
  }
  // Outputs whose shape the shape rule knows have memory.
  virtual Status Run(EvalContext& ctx) = 0;
};

// The best kernel for an op on inputs of these types; `ctx` has been through
// InferTypes, and constant inputs stay the same for the kernel's lifetime.
// Falls back to reference evaluation.
Result<std::unique_ptr<NodeKernel>> MakeKernel(const Op& op,
                                               const InferContext& ctx,
                                               const KernelSite& site);

}  // namespace stint
