#pragma once
// The code that runs one node: chosen once when a session is prepared, holding
// what does not depend on shapes (packed weights, function pointers).

#include <memory>
#include <string>

#include "engine/bind/kernel_choice.h"
#include "engine/bind/kernel_site.h"
#include "engine/reference/eval_context.h"
#include "model/ops/op.h"

namespace stint {

class NodeKernel {
 public:
  virtual ~NodeKernel() = default;

  // The op has no kernel of its own for its types and constants, and runs on
  // its reference evaluation.
  virtual bool IsReference() const { return false; }

  // Once for given shapes, before ScratchBytes and any Run: what the kernel
  // wants to find in ctx.state(). Inputs and outputs may lack memory yet.
  virtual Result<std::unique_ptr<StepState>> Prepare(const EvalContext& ctx) {
    (void)ctx;
    return std::unique_ptr<StepState>();
  }
  // Bytes of scratch that Run needs with the inputs and outputs of `ctx`.
  virtual size_t ScratchBytes(const EvalContext& ctx) const {
    (void)ctx;
    return 0;
  }
  // What became of the node's constants, or null. Where there is something,
  // Run no longer reads constant inputs of rank 2 and more, and a kernel that
  // is given it as KernelSite::packed does without them.
  virtual const PackedWeights* packed() const { return nullptr; }
  // After Prepare.
  virtual KernelChoice Explain(const EvalContext& ctx) const {
    (void)ctx;
    return {};
  }
  // Outputs whose shape the shape rule knows have memory. The kernels of
  // engine/nodes allocate nothing here.
  virtual Status Run(EvalContext& ctx) = 0;
};

}  // namespace stint
