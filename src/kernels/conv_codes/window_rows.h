#pragma once
// Images as the rows of a matrix product: what a convolution's window sees at
// one output pixel, places of the window first and channels within them, in the
// order of coded convolution weights.

#include <cstdint>

#include "kernels/conv_f32/conv_f32.h"

namespace stint {

// Channels in blocks of `block` side by side, as in conv_blocked_f32; 1: NCHW.
// A blocked image ends with zeros up to a block.
struct ImageRows {
  const ConvF32Shape* shape = nullptr;  // of one group
  int64_t block = 1;
  int64_t first = 0;  // pixels of the output
  int64_t count = 0;
};

// rows[i, (r * kernel_w + s) * in_channels + c] of the image x, zeros outside
// of it; `gate`, if any, multiplies each channel. Rows are `ld` floats apart.
void GatherWindows(const ImageRows& image, const float* x, const float* gate,
                   float* rows, int64_t ld);

// rows[i, o] of the pixels of an image of out_channels, and back.
void GatherPixels(const ImageRows& image, const float* y, float* rows);
void ScatterPixels(const ImageRows& image, const float* rows, float* y);

}  // namespace stint
