#pragma once
// How a picture becomes numbers.

#include <array>

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

}  // namespace stint
