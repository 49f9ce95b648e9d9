#pragma once
// Some rows of a byte image with the padding that windows over them read.

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/geometry/conv_shape.h"

namespace stint {

// Input rows and columns that `outputs` neighboring windows cover.
inline int64_t ConvSpan(int64_t outputs, int64_t stride, int64_t kernel,
                        int64_t dilation) {
  return (outputs - 1) * stride + (kernel - 1) * dilation + 1;
}

// Windows that leave the image need a copy with padding around it.
inline bool LeavesImage(const ConvF32Shape& s) {
  return s.pad_top > 0 || s.pad_left > 0 ||
         ConvSpan(s.out_h, s.stride_h, s.kernel_h, s.dilation_h) > s.in_h ||
         ConvSpan(s.out_w, s.stride_w, s.kernel_w, s.dilation_w) > s.in_w;
}

struct ByteBand {
  const uint8_t* image;  // [in_h, in_w, x_pixel]
  int64_t x_pixel;
  uint8_t zero;       // what padding holds
  int64_t first_row;  // of the outputs
  int64_t rows;       // of the outputs
  int64_t cols;       // columns copied, padding included
};

// Writes the input rows of a band, `cols` pixels each, padding where they leave
// the image.
inline void CopyBand(const ConvF32Shape& s, const ByteBand& band, uint8_t* to) {
  const int64_t count =
      ConvSpan(band.rows, s.stride_h, s.kernel_h, s.dilation_h);
  const int64_t first = band.first_row * s.stride_h - s.pad_top;
  const int64_t left = std::min(s.pad_left, band.cols);
  const int64_t inner = std::min(band.cols - left, s.in_w);
  const auto fill = [&](int64_t pixels) {
    std::memset(to, band.zero, static_cast<size_t>(pixels * band.x_pixel));
    to += pixels * band.x_pixel;
  };
  for (int64_t y = first; y < first + count; ++y) {
    if (y < 0 || y >= s.in_h) {
      fill(band.cols);
      continue;
    }
    fill(left);
    std::memcpy(to, band.image + y * s.in_w * band.x_pixel,
                static_cast<size_t>(inner * band.x_pixel));
    to += inner * band.x_pixel;
    fill(band.cols - left - inner);
  }
}

}  // namespace stint
