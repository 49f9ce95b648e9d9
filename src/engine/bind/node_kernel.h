#pragma once
// The code that runs one node: chosen once when a session is prepared, holding
// what does not depend on shapes (packed weights, function pointers).

#include <memory>
#include <string>

#include "engine/bind/kernel_site.h"
#include "engine/reference/eval_context.h"
#include "model/ops/op.h"

namespace stint {

// For people: what runs a step, and why that.
struct KernelChoice {
  std::string kernel;  // "winograd4_avx512"; empty: there was no choice
  std::string reason;  // "default", "measured", "tuned", "untuned", "forced"
  std::string detail;  // what it was compared with, and what it costs
  // "direct:t8x2", where the kernel has one: with it, all that decides how the
  // step computes.
  std::string schedule = {};
};

class NodeKernel {
 public:
  virtual ~NodeKernel() = default;

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
