#pragma once
// Depthwise convolution, a vector of channels at a time: tiles of pixels of a
// row stay in registers while the window runs; no copy of the image.

#include <cstdint>

#include "kernels/geometry/conv_shape.h"
#include "kernels/simd/activation.h"

namespace stint {

class ThreadPool;
struct ConvBlockedF32Args;
struct ConvBlockedF32Kernel;

// One row of outputs of one block of channels.
struct ConvBlockedDepthwiseRow {
  const ConvF32Shape* shape;
  int64_t row;
  const float* x;         // the block's image [in_h, in_w, block]
  const float* w;         // [kernel_h, kernel_w, block]
  const float* bias;      // [block] or null
  const float* residual;  // the row's, or null
  float* y;               // [out_w, block]
  Activation act;
  // Pixels of the first register tile of a row; what is left is halved. 8 has
  // code of its own, everything else is as the instruction set has it.
  int tile_pixels = 0;
};
using ConvBlockedDepthwiseFn = void (*)(const ConvBlockedDepthwiseRow& row);

bool BlockedDepthwiseSupports(const ConvBlockedF32Kernel& kernel,
                              const ConvF32Shape& shape);
int64_t BlockedDepthwisePackedBytes(const ConvBlockedF32Kernel& kernel,
                                    const ConvF32Shape& shape);
void BlockedDepthwisePack(const ConvBlockedF32Kernel& kernel,
                          const ConvF32Shape& shape, const float* w,
                          float* packed, ThreadPool* pool);
int64_t BlockedDepthwiseScratchBytes(const ConvBlockedF32Kernel& kernel,
                                     const ConvF32Shape& shape, int threads);
void BlockedDepthwiseConv(const ConvBlockedF32Kernel& kernel,
                          const ConvBlockedF32Args& args, ThreadPool* pool);

}  // namespace stint
