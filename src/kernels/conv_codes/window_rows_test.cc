#include "kernels/conv_codes/window_rows.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/checked_math.h"

namespace stint {
namespace {

// 5 channels of 6 x 7 pixels, a window of 3 x 2 that steps by 2 and 1, with
// holes and a border.
ConvF32Shape OddShape() {
  ConvF32Shape s;
  s.in_channels = 5;
  s.in_h = 6;
  s.in_w = 7;
  s.kernel_h = 3;
  s.kernel_w = 2;
  s.stride_h = 2;
  s.dilation_w = 3;
  s.pad_top = s.pad_left = 1;
  s.out_channels = 11;
  s.out_h = 3;
  s.out_w = 6;
  return s;
}

float Element(int64_t c, int64_t h, int64_t w) {
  return static_cast<float>(1 + c * 100 + h * 10 + w);
}

// Channels by blocks, zeros at the end.
std::vector<float> MakeImage(const ConvF32Shape& s, int64_t block) {
  std::vector<float> x(
      static_cast<size_t>(RoundUp(s.in_channels, block) * s.in_plane()));
  for (int64_t c = 0; c < s.in_channels; ++c) {
    for (int64_t i = 0; i < s.in_plane(); ++i) {
      x[static_cast<size_t>((c / block * s.in_plane() + i) * block +
                            c % block)] = Element(c, i / s.in_w, i % s.in_w);
    }
  }
  return x;
}

TEST(WindowRows, HoldWhatTheWindowSees) {
  const ConvF32Shape s = OddShape();
  const std::vector<float> gate = {1, 2, 0, 1, -1};
  const int64_t k = s.taps() * s.in_channels;
  const int64_t ld = k + 3;
  for (int64_t block : {1, 4, 16}) {
    const std::vector<float> x = MakeImage(s, block);
    std::vector<float> rows(static_cast<size_t>(7 * ld), -7);
    GatherWindows({&s, block, 4, 7}, x.data(), gate.data(), rows.data(), ld);
    for (int64_t i = 0; i < 7; ++i) {
      for (int64_t at = 0; at < k; ++at) {
        const int64_t c = at % s.in_channels, tap = at / s.in_channels;
        const int64_t h = (4 + i) / s.out_w * 2 - 1 + tap / 2;
        const int64_t w = (4 + i) % s.out_w - 1 + tap % 2 * 3;
        const bool inside = h >= 0 && h < s.in_h && w >= 0 && w < s.in_w;
        ASSERT_EQ(rows[static_cast<size_t>(i * ld + at)],
                  inside ? gate[static_cast<size_t>(c)] * Element(c, h, w) : 0)
            << "pixel " << i << " input " << at << " block " << block;
      }
      EXPECT_EQ(rows[static_cast<size_t>(i * ld + k)], -7);  // not touched
    }
  }
}

TEST(WindowRows, PixelsGoThereAndBack) {
  const ConvF32Shape s = OddShape();
  std::vector<float> rows(static_cast<size_t>(s.out_plane() * s.out_channels));
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(i + 1);
  for (int64_t block : {1, 8}) {
    const int64_t channels = RoundUp(s.out_channels, block);
    std::vector<float> y(static_cast<size_t>(channels * s.out_plane()), -7);
    ScatterPixels({&s, block, 0, s.out_plane()}, rows.data(), y.data());
    std::vector<float> back(rows.size());
    GatherPixels({&s, block, 0, s.out_plane()}, y.data(), back.data());
    EXPECT_EQ(back, rows);
    // What fills the last block is zero.
    int64_t zeros = 0;
    for (float value : y) zeros += value == 0;
    EXPECT_EQ(zeros, (channels - s.out_channels) * s.out_plane());
  }
}

}  // namespace
}  // namespace stint
