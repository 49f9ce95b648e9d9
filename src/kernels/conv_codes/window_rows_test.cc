#include "kernels/conv_codes/window_rows.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/checked_math.h"

namespace stint {
namespace {

// 2 images of 5 channels and 6 x 7 pixels, a window of 3 x 2 that steps by 2
// and 1, with holes and a border.
ConvF32Shape OddShape() {
  ConvF32Shape s;
  s.batch = 2;
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

uint8_t Element(int64_t n, int64_t c, int64_t h, int64_t w) {
  return static_cast<uint8_t>(n * 101 + c * 47 + h * 10 + w);
}

// Every row against the definition of a convolution's window.
void ExpectWindows(const ConvF32Shape& s, int64_t first, int64_t count) {
  std::vector<uint8_t> x;
  for (int64_t i = 0; i < s.batch * s.in_plane() * s.in_channels; ++i) {
    const int64_t pixel = i / s.in_channels, at = pixel % s.in_plane();
    x.push_back(Element(pixel / s.in_plane(), i % s.in_channels, at / s.in_w,
                        at % s.in_w));
  }
  const uint8_t zero[2] = {250, 251};
  const int64_t k = s.taps() * s.in_channels;
  const int64_t ld = k + 3;
  std::vector<uint8_t> rows(static_cast<size_t>(count * ld), 7);
  GatherWindows({&s, first, count}, x.data(), zero, rows.data(), ld);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t n = (first + i) / s.out_plane();
    const int64_t at = (first + i) % s.out_plane();
    for (int64_t j = 0; j < k; ++j) {
      const int64_t c = j % s.in_channels, tap = j / s.in_channels;
      const int64_t h = at / s.out_w * s.stride_h - s.pad_top +
                        tap / s.kernel_w * s.dilation_h;
      const int64_t w = at % s.out_w * s.stride_w - s.pad_left +
                        tap % s.kernel_w * s.dilation_w;
      const bool inside = h >= 0 && h < s.in_h && w >= 0 && w < s.in_w;
      ASSERT_EQ(rows[static_cast<size_t>(i * ld + j)],
                inside ? Element(n, c, h, w) : zero[n])
          << "pixel " << i << " input " << j;
    }
    EXPECT_EQ(rows[static_cast<size_t>(i * ld + k)], 7);  // not touched
  }
}

TEST(WindowRows, HoldWhatTheWindowSees) {
  const ConvF32Shape s = OddShape();
  ExpectWindows(s, 0, 2 * s.out_plane());
}

TEST(WindowRows, MayBeginAndEndWithinImages) {
  ExpectWindows(OddShape(), 13, 11);
}

TEST(WindowRows, WindowsMayBeWiderThanTheImage) {
  ConvF32Shape s = OddShape();
  s.in_w = 2;
  s.kernel_w = 9;
  s.dilation_w = 1;
  s.pad_left = 5;
  s.out_w = 4;
  ExpectWindows(s, 0, 2 * s.out_plane());
  s.dilation_w = 2;
  ExpectWindows(s, 0, 2 * s.out_plane());
}

TEST(WindowRows, PixelsGoThereAndBack) {
  const ConvF32Shape s = OddShape();
  const int64_t pixels = s.batch * s.out_plane();
  std::vector<float> rows(static_cast<size_t>(pixels * s.out_channels));
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(i + 1);
  for (int64_t block : {1, 8}) {
    const int64_t channels = RoundUp(s.out_channels, block);
    std::vector<float> y(static_cast<size_t>(channels * pixels), -7);
    ScatterPixels({&s, 0, pixels}, block, rows.data(), y.data());
    // Channel 9 of pixel 4 of the second image.
    const int64_t at =
        ((channels / block + 9 / block) * s.out_plane() + 4) * block +
        9 % block;
    EXPECT_EQ(y[static_cast<size_t>(at)],
              static_cast<float>((s.out_plane() + 4) * s.out_channels + 9 + 1));
    std::vector<float> back(rows.size());
    GatherPixels({&s, 0, pixels}, block, y.data(), back.data());
    EXPECT_EQ(back, rows);
    // What fills the last block is zero.
    int64_t zeros = 0;
    for (float value : y) zeros += value == 0;
    EXPECT_EQ(zeros, (channels - s.out_channels) * pixels);
  }
}

}  // namespace
}  // namespace stint
