#pragma once
// The sizes of a convolution, as every family of convolutions takes them.

#include <cstdint>

namespace stint {

// 2-D; a 1-D convolution is one with a height of 1.
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

}  // namespace stint
