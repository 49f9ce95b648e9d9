#pragma once
// Depthwise convolution, one plane at a time: the plane is copied with its
// padding into scratch, then rows of outputs are vectors over the width.

#include <cstdint>

#include "kernels/conv_f32/conv_f32.h"

namespace stint {

struct ConvF32Kernel;

struct DepthwisePlane {
  const ConvF32Shape* shape;
  // Padded image; a row of it is `pitch` floats, and a vector may be read past
  // the last one.
  const float* x;
  int64_t pitch;
  const float* w;  // [kernel_h, kernel_w]
  float bias;
  float* y;               // [out_h, out_w]
  const float* residual;  // [out_h, out_w] or null
  Activation act;
};
using DepthwiseFn = void (*)(const DepthwisePlane& plane);

bool DepthwiseSupports(const ConvF32Shape& shape);
int64_t DepthwiseScratchBytes(const ConvF32Kernel& kernel,
                              const ConvF32Shape& shape, int threads);
void DepthwiseConv(const ConvF32Kernel& kernel, const ConvF32Args& args,
                   ThreadPool* pool);

}  // namespace stint
