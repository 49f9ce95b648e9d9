#pragma once
// The constants of a fused linear layer, joined, and what its kernels share.

#include <optional>
#include <vector>

#include "engine/bind/fast/fast.h"
#include "engine/bind/fused_activation.h"
#include "kernels/gemm_f32/gemm_f32.h"

namespace stint {

// The weights of all parts side by side.
struct JoinedWeights {
  int64_t k = 0;
  int64_t n = 0;
  const float* data = nullptr;  // [k,n], or [n,k] when transposed
  int64_t stride = 0;
  bool transposed = false;
  std::vector<float> copy;  // what `data` points to when there are many parts
  std::vector<float> bias;  // [n]; empty: none
};

// Nothing when a weight or bias is not a constant.
std::optional<JoinedWeights> JoinWeights(const FusedLinear& op,
                                         const InferContext& ctx);

// Sizes, input, residual, bias and activation of a run. `residual_fits` says
// whether the residual has the shape of the output, which kernels need.
struct LinearRun {
  GemmF32Args args;
  bool residual_fits = true;
};
LinearRun MakeLinearRun(const EvalContext& ctx, int64_t k, int64_t n);

// One per precision; null when weights cannot be packed.
NodeKernelPtr MakeLinearF32(const FusedLinear& op, const JoinedWeights& weights,
                            const KernelSite& site);
NodeKernelPtr MakeLinearBf16(const FusedLinear& op,
                             const JoinedWeights& weights,
                             const KernelSite& site);
NodeKernelPtr MakeLinearInt8(const FusedLinear& op,
                             const JoinedWeights& weights,
                             const KernelSite& site);

}  // namespace stint
