#pragma once
// Convolutions as products of matrices: what the window sees at one pixel of
// the output is a row, places of the window first and channels within them, in
// the order of coded convolution weights. Pixels count over all images.

#include <cstdint>

#include "kernels/geometry/conv_shape.h"

namespace stint {

// Neighboring pixels of the output of a convolution of one group.
struct PixelRange {
  const ConvF32Shape* shape = nullptr;
  int64_t first = 0;
  int64_t count = 0;
};

// rows[i, (r * kernel_w + s) * in_channels + c] of images of bytes
// x [batch, in_h, in_w, in_channels]; zero[image] outside of them. Rows are
// `ld` bytes apart.
void GatherWindows(const PixelRange& pixels, const uint8_t* x,
                   const uint8_t* zero, uint8_t* rows, int64_t ld);

// rows[i, o] of the pixels of images with out_channels, and back. Channels lie
// in blocks of `block` side by side, as in conv_blocked_f32, zeros behind the
// last; 1: plane by plane.
void GatherPixels(const PixelRange& pixels, int64_t block, const float* y,
                  float* rows);
void ScatterPixels(const PixelRange& pixels, int64_t block, const float* rows,
                   float* y);

}  // namespace stint
