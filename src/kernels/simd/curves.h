#pragma once
// The curves of an Activation on registers and on rows in memory, one formula
// for every vector width V; and in double, for tests.

#include <cmath>

#include "kernels/simd/activation.h"
#include "kernels/simd/math.h"

namespace stint {

template <class V, Curve curve>
STINT_INLINE typename V::F ApplyCurve(typename V::F x) {
  if constexpr (curve == Curve::kNone) return x;
  if constexpr (curve == Curve::kGeluErf) return GeluErf<V>(x);
  if constexpr (curve == Curve::kGeluTanh) return GeluTanh<V>(x);
  if constexpr (curve == Curve::kSilu) return Silu<V>(x);
  if constexpr (curve == Curve::kSigmoid) return Sigmoid<V>(x);
  if constexpr (curve == Curve::kTanh) return Tanh<V>(x);
  if constexpr (curve == Curve::kHardSwish || curve == Curve::kHardSigmoid) {
    const auto line = V::Fma(x, V::Set1(1.0f / 6), V::Set1(0.5f));
    const auto gate = Clamp<V>(line, 0, 1);
    return curve == Curve::kHardSwish ? x * gate : gate;
  }
}

// In place on `rows` rows of `cols` floats, `stride` floats apart.
struct CurveRows {
  float* data;
  int64_t stride;
  int64_t rows;
  int64_t cols;
};

template <class V, Curve curve>
__attribute__((noinline)) void RunCurveRows(const CurveRows& args) {
  for (int64_t i = 0; i < args.rows; ++i) {
    float* row = args.data + i * args.stride;
    int64_t j = 0;
    for (; j + V::kWidth <= args.cols; j += V::kWidth) {
      V::Store(row + j, ApplyCurve<V, curve>(V::Load(row + j)));
    }
    if (j < args.cols) {
      const int64_t n = args.cols - j;
      V::StoreN(row + j, ApplyCurve<V, curve>(V::LoadN(row + j, n)), n);
    }
  }
}

// A pass over results while they are in L1: a curve inside a register tile
// would spill it.
template <class V, int kCurve = 1>
STINT_INLINE void ApplyCurveRows(Curve curve, const CurveRows& args) {
  if constexpr (kCurve < kCurves) {
    constexpr Curve kThis = static_cast<Curve>(kCurve);
    if (curve == kThis) return RunCurveRows<V, kThis>(args);
    ApplyCurveRows<V, kCurve + 1>(curve, args);
  }
}

inline double ReferenceActivation(double x, const Activation& act) {
  if (x < act.lo) x = act.lo;
  if (x > act.hi) x = act.hi;
  const double gate = std::fmin(std::fmax(x / 6 + 0.5, 0), 1);
  switch (act.curve) {
    case Curve::kNone:
      return x;
    case Curve::kGeluErf:
      return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
    case Curve::kGeluTanh:
      return 0.5 * x *
             (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
    case Curve::kSilu:
      return x / (1 + std::exp(-x));
    case Curve::kSigmoid:
      return 1 / (1 + std::exp(-x));
    case Curve::kTanh:
      return std::tanh(x);
    case Curve::kHardSwish:
      return x * gate;
    case Curve::kHardSigmoid:
      return gate;
  }
  return x;
}

}  // namespace stint
