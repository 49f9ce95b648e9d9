#pragma once
// What a product or convolution does to a result before it is stored: a clamp,
// or one of the smooth curves of the common networks.

#include <cstdint>
#include <limits>

namespace stint {

enum class Curve {
  kNone,
  kGeluErf,
  kGeluTanh,
  kSilu,
  kSigmoid,
  kTanh,
  kHardSwish,
  kHardSigmoid,  // clamp(x / 6 + 1 / 2, 0, 1)
};
inline constexpr int kCurves = 8;

struct Activation {
  float lo = -std::numeric_limits<float>::infinity();
  float hi = std::numeric_limits<float>::infinity();
  Curve curve = Curve::kNone;  // applied to what the clamp gives

  static Activation None() { return {}; }
  static Activation Relu() { return {.lo = 0}; }
  static Activation Clip(float lo, float hi) { return {.lo = lo, .hi = hi}; }
  static Activation Of(Curve curve) { return {.curve = curve}; }
  bool operator==(const Activation&) const = default;
};

}  // namespace stint
