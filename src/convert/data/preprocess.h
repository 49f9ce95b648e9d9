#pragma once
// From pictures to the input tensor of an image model.

#include <array>
#include <span>

#include "convert/data/image.h"
#include "stint/status.h"
#include "stint/tensor.h"

namespace stint {

enum class ChannelOrder { kRgb, kBgr };

// pixel = (value / scale - mean[c]) / std[c], where c counts in the model's
// channel order.
struct Preprocessing {
  std::array<float, 3> mean = {0, 0, 0};
  std::array<float, 3> std = {1, 1, 1};
  float scale = 1;
  ChannelOrder channel_order = ChannelOrder::kRgb;
  int size = 0;  // side of the square to resize to; 0 keeps the picture's size
};

// A float32 tensor [images, 3, height, width]. Fails when there is no picture,
// when sizes differ after resizing, and when scale or std is 0.
Result<Tensor> Preprocess(std::span<const Image> images,
                          const Preprocessing& preprocessing);

}  // namespace stint
