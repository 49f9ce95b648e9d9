#pragma once
// Functions of gates, one source for every vector width V.

#include "kernels/recurrent_f32/recurrent_f32_table.h"
#include "kernels/simd/math.h"

namespace stint {

// A switch per vector: next to the product of a step it costs nothing.
template <class V>
STINT_INLINE typename V::F ApplyGate(const GateFunction& f, typename V::F x) {
  const auto zero = V::Set1(0.0f);
  const auto alpha = V::Set1(f.alpha);
  const auto beta = V::Set1(f.beta);
  switch (f.curve) {
    case GateCurve::kSigmoid:
      return Sigmoid<V>(x);
    case GateCurve::kTanh:
      return Tanh<V>(x);
    case GateCurve::kRelu:
      return V::Max(zero, x);
    case GateCurve::kAffine:
      return V::Fma(alpha, x, beta);
    case GateCurve::kHardSigmoid:
      return Clamp<V>(V::Fma(alpha, x, beta), 0, 1);
    case GateCurve::kLeakyRelu:
      return V::SelectGe(x, zero, x, alpha * x);
    case GateCurve::kElu:
      return V::SelectGe(x, zero, x, alpha * (Exp<V>(x) - V::Set1(1.0f)));
    case GateCurve::kScaledTanh:
      return alpha * Tanh<V>(beta * x);
    case GateCurve::kSoftsign:
      return x / (V::Set1(1.0f) + Abs<V>(x));
    case GateCurve::kThresholdedRelu:
      return V::SelectGe(x, alpha, x, zero);
  }
  return x;
}

}  // namespace stint
