#include "kernels/conv_codes/window_rows.h"

#include <algorithm>
#include <cstring>

#include "core/base/checked_math.h"

namespace stint {
namespace {

// Places of one row of a window that lie inside of the image: [begin, end).
struct InsideRange {
  InsideRange(int64_t left, int64_t kernel, int64_t dilation, int64_t size)
      : begin(left < 0 ? std::min(kernel, CeilDiv(-left, dilation)) : 0),
        end(left >= size
                ? begin
                : std::clamp(CeilDiv(size - left, dilation), begin, kernel)) {}
  int64_t begin;
  int64_t end;
};

// One row of a window, whose first place is column `left` of the image's row.
void GatherWindowRow(const ConvF32Shape& s, const uint8_t* image_row,
                     int64_t left, uint8_t zero, uint8_t* to) {
  const int64_t channels = s.in_channels;
  const InsideRange in(left, s.kernel_w, s.dilation_w, s.in_w);
  std::memset(to, zero, static_cast<size_t>(in.begin * channels));
  if (s.dilation_w == 1) {
    std::memcpy(to + in.begin * channels,
                image_row + (left + in.begin) * channels,
                static_cast<size_t>((in.end - in.begin) * channels));
  } else {
    for (int64_t i = in.begin; i < in.end; ++i) {
      std::memcpy(to + i * channels,
                  image_row + (left + i * s.dilation_w) * channels,
                  static_cast<size_t>(channels));
    }
  }
  std::memset(to + in.end * channels, zero,
              static_cast<size_t>((s.kernel_w - in.end) * channels));
}

// body(channel, its index in y, how many lie side by side)
template <typename Body>
void ForEachBlock(const ConvF32Shape& s, int64_t block, int64_t pixel,
                  Body body) {
  const int64_t image = pixel / s.out_plane();
  const int64_t at = pixel % s.out_plane();
  const int64_t blocks = CeilDiv(s.out_channels, block);
  for (int64_t b = 0; b < blocks; ++b) {
    body(b * block, ((image * blocks + b) * s.out_plane() + at) * block,
         std::min(block, s.out_channels - b * block));
  }
}

}  // namespace

void GatherWindows(const PixelRange& pixels, const uint8_t* x,
                   const uint8_t* zero, uint8_t* rows, int64_t ld) {
  const ConvF32Shape& s = *pixels.shape;
  const int64_t row_bytes = s.kernel_w * s.in_channels;
  for (int64_t i = 0; i < pixels.count; ++i) {
    const int64_t pixel = pixels.first + i;
    const int64_t image = pixel / s.out_plane();
    const int64_t at = pixel % s.out_plane();
    const int64_t top = at / s.out_w * s.stride_h - s.pad_top;
    const int64_t left = at % s.out_w * s.stride_w - s.pad_left;
    uint8_t* to = rows + i * ld;
    for (int64_t r = 0; r < s.kernel_h; ++r, to += row_bytes) {
      const int64_t h = top + r * s.dilation_h;
      if (h < 0 || h >= s.in_h) {
        std::memset(to, zero[image], static_cast<size_t>(row_bytes));
        continue;
      }
      const uint8_t* from =
          x + (image * s.in_plane() + h * s.in_w) * s.in_channels;
      GatherWindowRow(s, from, left, zero[image], to);
    }
  }
}

void GatherPixels(const PixelRange& pixels, int64_t block, const float* y,
                  float* rows) {
  const ConvF32Shape& s = *pixels.shape;
  for (int64_t i = 0; i < pixels.count; ++i) {
    float* row = rows + i * s.out_channels;
    ForEachBlock(s, block, pixels.first + i,
                 [&](int64_t c, int64_t from, int64_t count) {
                   std::copy_n(y + from, count, row + c);
                 });
  }
}

void ScatterPixels(const PixelRange& pixels, int64_t block, const float* rows,
                   float* y) {
  const ConvF32Shape& s = *pixels.shape;
  for (int64_t i = 0; i < pixels.count; ++i) {
    const float* row = rows + i * s.out_channels;
    ForEachBlock(s, block, pixels.first + i,
                 [&](int64_t c, int64_t to, int64_t count) {
                   std::copy_n(row + c, count, y + to);
                   std::fill_n(y + to + count, block - count, 0.0f);
                 });
  }
}

}  // namespace stint
