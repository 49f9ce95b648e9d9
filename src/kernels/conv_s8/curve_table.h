#pragma once
// Smooth curves as 16 pieces of parabolas: a few instructions where the formula
// takes an exponential and a division (SiLU was two thirds of EfficientNet's
// expanding layers). Within 0.006 of the curve, half a step of a byte for a
// range of 3.

#include "kernels/simd/activation.h"

namespace stint {

struct CurveTable {
  static constexpr int kPieces = 16;
  // Beyond +-kLimit curves are straight; pieces 0 and 15 are these lines.
  static constexpr float kLimit = 8;
  // Piece of x: trunc(x * kSlope + kOffset), clamped.
  static constexpr float kSlope = 14 / (2 * kLimit);
  static constexpr float kOffset = 8;
  // y = c[0] + x * (c[1] + x * c[2]), each by piece.
  alignas(64) float c[3][kPieces];
};

// Null for curves whose formula is as cheap, or that bend too much.
const CurveTable* CurveTableOf(Curve curve);

}  // namespace stint
