#pragma once
// 2-D convolution in fp32 on channel-blocked images: x is [batch, blocks of
// channels, h, w, block], so a vector of channels of one pixel is contiguous.
// Channels past the last are zeros in x and are left zeros in y.

#include <cstdint>

#include "core/base/checked_math.h"
#include "kernels/geometry/conv_shape.h"
#include "kernels/simd/activation.h"

namespace stint {

class ThreadPool;

// Packed weights of two bytes each, in the order of the kernel's fp32 ones.
using WidenWeightsFn = void (*)(const uint16_t* from, int64_t count,
                                float scale, float* to);
struct NarrowWeights {
  const uint16_t* w = nullptr;
  WidenWeightsFn widen = nullptr;
  float scale = 1;
};

struct ConvBlockedF32Args {
  ConvF32Shape shape;
  // [batch, CeilDiv(in_channels, block), in_h, in_w, block], or plain
  // [batch, in_channels, in_h, in_w] where the kernel's input is kPlain.
  const float* x = nullptr;
  const float* w = nullptr;     // what the kernel's pack wrote
  const float* bias = nullptr;  // [out_channels], zeros up to a block, or null
  const float* residual =
      nullptr;  // laid out like y, added before act; or null
  Activation act = {};
  float* y = nullptr;        // [batch, out blocks, out_h, out_w, block]
  float* scratch = nullptr;  // the kernel's scratch_bytes, 64-byte aligned
  // In place of `w`: kernels/conv_blocked_bf16.
  NarrowWeights narrow = {};
};

// Floats of a blocked image of `channels` planes of `plane` pixels.
inline int64_t BlockedFloats(int64_t channels, int64_t plane, int64_t block) {
  return RoundUp(channels, block) * plane;
}

}  // namespace stint
