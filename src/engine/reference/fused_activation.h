#pragma once
// The activation of a fused op, as kernels take it.

#include "kernels/simd/activation.h"
#include "model/ops/fused/fused.h"

namespace stint {

inline Curve CurveNamed(std::string_view name) {
  if (name == "gelu") return Curve::kGeluErf;
  if (name == "gelu_tanh") return Curve::kGeluTanh;
  if (name == "silu") return Curve::kSilu;
  if (name == "sigmoid") return Curve::kSigmoid;
  if (name == "tanh") return Curve::kTanh;
  if (name == "hard_swish") return Curve::kHardSwish;
  if (name == "hard_sigmoid") return Curve::kHardSigmoid;
  return Curve::kNone;
}

// `op` is one of the fused ops with fields activation, lo, hi.
template <typename FusedOp>
Activation ActivationOf(const FusedOp& op) {
  return {.lo = op.lo, .hi = op.hi, .curve = CurveNamed(op.activation)};
}

}  // namespace stint
