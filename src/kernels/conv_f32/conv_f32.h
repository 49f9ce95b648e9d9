#pragma once
// 2-D convolution in fp32, NCHW: y[n,o,i,j] = act(bias[o] + r[n,o,i,j] + sum
// over c, r, s of x[n,c,i*stride-pad+r*dilation,j*...] * w[o,c,r,s]), within
// groups. A 1-D convolution is one with a height of 1.

#include <cstdint>

#include "kernels/gemm_f32/gemm_f32_table.h"

namespace stint {

class ThreadPool;

struct ConvF32Shape {
  int64_t batch = 1;
  int64_t groups = 1;
  int64_t in_channels = 0;  // all groups together
  int64_t in_h = 0;
  int64_t in_w = 0;
  int64_t out_channels = 0;  // all groups together
  int64_t out_h = 0;
  int64_t out_w = 0;
  int64_t kernel_h = 1;
  int64_t kernel_w = 1;
  int64_t stride_h = 1;
  int64_t stride_w = 1;
  int64_t dilation_h = 1;
  int64_t dilation_w = 1;
  int64_t pad_top = 0;  // bottom and right follow from the output size
  int64_t pad_left = 0;

  int64_t taps() const { return kernel_h * kernel_w; }
  int64_t in_plane() const { return in_h * in_w; }
  int64_t out_plane() const { return out_h * out_w; }
  int64_t group_in() const { return in_channels / groups; }
  int64_t group_out() const { return out_channels / groups; }
};

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
