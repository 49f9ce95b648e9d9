#include "kernels/conv_codes/window_rows.h"

#include <algorithm>

#include "core/base/checked_math.h"

namespace stint {
namespace {

// One pixel of an image of `channels`: blocks lie a plane apart.
struct Pixel {
  int64_t channels;
  int64_t block;
  int64_t plane;
  int64_t at;

  // body(channel, its index, how many lie side by side)
  template <typename Body>
  void ForEachBlock(Body body) const {
    for (int64_t c = 0; c < channels; c += block) {
      body(c, (c / block * plane + at) * block, std::min(block, channels - c));
    }
  }
};

void CopyPixel(const Pixel& pixel, const float* x, float* row) {
  pixel.ForEachBlock([&](int64_t c, int64_t from, int64_t count) {
    std::copy_n(x + from, count, row + c);
  });
}

}  // namespace

void GatherWindows(const ImageRows& image, const float* x, const float* gate,
                   float* rows, int64_t ld) {
  const ConvF32Shape& s = *image.shape;
  for (int64_t i = 0; i < image.count; ++i) {
    const int64_t top = (image.first + i) / s.out_w * s.stride_h - s.pad_top;
    const int64_t left = (image.first + i) % s.out_w * s.stride_w - s.pad_left;
    float* row = rows + i * ld;
    for (int64_t tap = 0; tap < s.taps(); ++tap, row += s.in_channels) {
      const int64_t h = top + tap / s.kernel_w * s.dilation_h;
      const int64_t w = left + tap % s.kernel_w * s.dilation_w;
      if (h < 0 || h >= s.in_h || w < 0 || w >= s.in_w) {
        std::fill_n(row, s.in_channels, 0.0f);
        continue;
      }
      CopyPixel({s.in_channels, image.block, s.in_plane(), h * s.in_w + w}, x,
                row);
      if (gate == nullptr) continue;
      for (int64_t c = 0; c < s.in_channels; ++c) row[c] *= gate[c];
    }
  }
}

void GatherPixels(const ImageRows& image, const float* y, float* rows) {
  const ConvF32Shape& s = *image.shape;
  for (int64_t i = 0; i < image.count; ++i) {
    CopyPixel({s.out_channels, image.block, s.out_plane(), image.first + i}, y,
              rows + i * s.out_channels);
  }
}

void ScatterPixels(const ImageRows& image, const float* rows, float* y) {
  const ConvF32Shape& s = *image.shape;
  for (int64_t i = 0; i < image.count; ++i) {
    const Pixel pixel{s.out_channels, image.block, s.out_plane(),
                      image.first + i};
    const float* row = rows + i * s.out_channels;
    pixel.ForEachBlock([&](int64_t c, int64_t to, int64_t count) {
      std::copy_n(row + c, count, y + to);
      std::fill_n(y + to + count, image.block - count, 0.0f);
    });
  }
}

}  // namespace stint
