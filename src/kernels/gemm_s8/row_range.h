#pragma once
// Scale and zero point of a row of activations from its smallest and largest
// value; every kernel computes them by these formulas, so their bytes agree.

#include <cmath>

#include "kernels/gemm_s8/gemm_s8_table.h"

namespace stint {

struct RowRange {
  float scale;    // 0 when the row is (as good as) zero
  float inverse;  // 1 / scale, or 0
  int zero;
};

// lo <= 0 <= hi.
inline RowRange MakeRowRange(float lo, float hi, RowQuantization mode) {
  // Below this the inverse of the scale would overflow.
  constexpr float kSmallest = 1e-35f;
  const bool symmetric = mode == RowQuantization::kSymmetric;
  const float top = -lo > hi ? -lo : hi;
  if (!(top > kSmallest)) return {0, 0, symmetric ? 128 : 0};
  if (symmetric) return {top / 127, 1 / (top / 127), 128};
  const float scale = hi / 255 - lo / 255;  // hi - lo might overflow
  const float zero = std::fmin(std::nearbyint(-lo / scale), 255.0f);
  return {scale, 1 / scale, static_cast<int>(zero)};
}

}  // namespace stint
