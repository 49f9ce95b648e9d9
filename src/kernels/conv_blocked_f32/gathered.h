#pragma once
// What primitives that copy pixels together before they multiply share: copies
// with zero padding, and the passes of the register tile over such a copy.
// Weights are packed as for direct convolutions.

#include <cstdint>

#include "kernels/geometry/blocking.h"
#include "kernels/geometry/conv_shape.h"

namespace stint {

struct ConvBlockedF32Args;
struct ConvBlockedF32Kernel;

// Copies rows and columns of one plane [in_h, in_w, block] of x, zeros where
// they lie outside of it.
void CopyPatch(const ConvF32Shape& shape, const float* plane, GemmRange rows,
               GemmRange cols, int64_t block, float* to);

// Where windows read a copy: a row of outputs at x + r * row, its pixels
// `pixel` floats apart; planes, kernel rows and kernel columns `step` apart.
struct GatheredInput {
  const float* x;
  int64_t row;
  int64_t pixel;
  int64_t step[3];
};

// Rows of outputs of the blocks [blocks.begin, blocks.end); `y` and `residual`
// (or null) are at the first of these blocks.
struct GatheredOutput {
  float* y;
  const float* residual;
  int64_t row;    // floats between rows
  int64_t block;  // floats between output blocks
  int64_t rows;
  int64_t cols;
  GemmRange blocks;
};

// out = act(sum + bias + residual) over all planes and taps.
void MultiplyGathered(const ConvBlockedF32Kernel& kernel,
                      const ConvBlockedF32Args& args, const GatheredInput& in,
                      const GatheredOutput& out);

// One group and more than one tap.
bool GatheredSupports(const ConvBlockedF32Kernel& kernel,
                      const ConvF32Shape& shape);

}  // namespace stint
