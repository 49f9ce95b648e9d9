#pragma once
// 2-D convolution of bytes: images are [batch, h, w, stored channels] in u8,
// weights s8 with a multiplier per output channel, sums exact in int32.
//   s = bias[o] + sum of x * w                       (padding holds x_zero)
//   t = float(s) * multiplier[o] + float(r - r_zero) * r_scale
//   t = max(t, t * leak)
//   y = clamp(round(t) + zero, lo, hi)               (ties to even)
// or, where there is a curve, y = clamp(round(act(t) * inverse) + zero, lo,
// hi). Every kernel gives the same bytes, but for curves, which may differ by
// one.
//
// The limit is vpdpbusd: 128 products per cycle and core, four times fp32. A
// tile of 6 pixels x 64 channels reads 10 vectors for 24 products of 64 bytes;
// what is left beside the products is the store (4 to 5 instructions per 16
// results, so it shows below 256 products per result) and weights that come
// from beyond L2. On AMX tiles products are eight times as fast, and the store
// and the weights are all that is left.

#include <cstdint>

#include "kernels/conv_s8/curve_table.h"
#include "kernels/geometry/conv_shape.h"
#include "kernels/simd/activation.h"

namespace stint {

class ThreadPool;

// From a sum to a byte.
struct ConvS8Output {
  float r_scale = 0;  // of the residual, in the units of t
  int r_zero = 0;
  float leak = 1;  // <= 1
  int zero = 0;
  uint8_t lo = 0;
  uint8_t hi = 255;
  Activation act = {};  // only where it has a curve: clamps are in lo and hi
  float inverse = 1;    // 1 / scale of y; only where there is a curve
  // The curve as pieces, for kernels that use it; null: by its formula.
  const CurveTable* table = nullptr;
};

struct ConvS8Args {
  ConvF32Shape shape;
  const uint8_t* x = nullptr;  // [batch, in_h, in_w, x_pixel]
  int64_t x_pixel = 0;         // bytes per pixel, >= in_channels, of 4
  uint8_t x_zero = 0;
  const int8_t* w = nullptr;          // what the kernel's pack wrote
  const uint8_t* residual = nullptr;  // laid out like y, or null
  ConvS8Output out;
  uint8_t* y = nullptr;  // [batch, out_h, out_w, y_pixel]
  int64_t y_pixel = 0;   // bytes per pixel; those past the last channel get
                         // any value
  uint8_t* scratch = nullptr;  // the kernel's scratch_bytes, 64-byte aligned
};

// A layer as it is handed to a kernel's pack.
struct ConvS8Weights {
  const int8_t* w = nullptr;  // [out_channels, group_in, kernel_h, kernel_w]
  const int32_t* bias = nullptr;      // [out_channels]
  const float* multiplier = nullptr;  // [out_channels]
  int64_t x_pixel = 0;                // as in the arguments of the run
};

}  // namespace stint
