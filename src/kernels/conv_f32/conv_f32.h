#pragma once
// 2-D convolution in fp32, NCHW: y[n,o,i,j] = act(bias[o] + r[n,o,i,j] + sum
// over c, r, s of x[n,c,i*stride-pad+r*dilation,j*...] * w[o,c,r,s]), within
// groups. A 1-D convolution is one with a height of 1.

#include <cstdint>

#include "kernels/geometry/conv_shape.h"
#include "kernels/simd/activation.h"

namespace stint {

class ThreadPool;

struct ConvF32Args {
  ConvF32Shape shape;
  const float* x = nullptr;     // [batch, in_channels, in_h, in_w]
  const float* w = nullptr;     // [out_channels, group_in, kernel_h, kernel_w]
  const float* bias = nullptr;  // [out_channels] or null
  float* y = nullptr;           // [batch, out_channels, out_h, out_w]
  Activation act = {};
  float* scratch = nullptr;  // the kernel's scratch_bytes, 64-byte aligned
  const float* residual = nullptr;  // like y or null, added before `act`
};

}  // namespace stint
