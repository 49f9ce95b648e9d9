#include "convert/data/image/resize.h"

#include <algorithm>
#include <cmath>

namespace stint {
namespace {

constexpr int kChannels = 3;
// PIL's fixed point: 8 bits of result and 2 of headroom out of 32.
constexpr int kFractionBits = 32 - 8 - 2;

// Adds a half and cuts, as PIL does; on negative numbers that is not rounding.
int CutAfterHalf(double x) {
  return static_cast<int>(x + 0.5);  // NOLINT(bugprone-incorrect-roundings)
}

// How one output position is made: the sum of count inputs from `first` on,
// weighted by weights[0, count).
struct Filter {
  int first = 0;
  std::vector<int> weights;
};

// The weights of output position `out` when `in_size` shrinks or grows by
// `scale` = inputs per output.
Filter MakeFilter(int out, int in_size, double scale) {
  const double stretch = std::max(scale, 1.0);
  const double center = (out + 0.5) * scale;
  Filter filter;
  filter.first = std::max(0, CutAfterHalf(center - stretch));
  const int end = std::min(in_size, CutAfterHalf(center + stretch));
  std::vector<double> exact;
  double sum = 0;
  for (int i = filter.first; i < end; ++i) {
    const double distance = std::abs((i - center + 0.5) * (1.0 / stretch));
    exact.push_back(distance < 1.0 ? 1.0 - distance : 0.0);
    sum += exact.back();
  }
  for (double weight : exact) {
    if (sum != 0) weight /= sum;
    filter.weights.push_back(CutAfterHalf(weight * (1 << kFractionBits)));
  }
  return filter;
}

std::vector<Filter> MakeFilters(int in_size, int out_size) {
  const double scale = static_cast<double>(in_size) / out_size;
  std::vector<Filter> filters;
  filters.reserve(out_size);
  for (int i = 0; i < out_size; ++i) {
    filters.push_back(MakeFilter(i, in_size, scale));
  }
  return filters;
}

// The weighted sum of bytes `stride` apart, rounded and cut to 8 bits.
uint8_t Apply(const Filter& filter, const uint8_t* in, size_t stride) {
  int sum = 1 << (kFractionBits - 1);
  in += filter.first * stride;
  for (const int weight : filter.weights) {
    sum += *in * weight;
    in += stride;
  }
  return static_cast<uint8_t>(std::clamp(sum >> kFractionBits, 0, 255));
}

Image ResizeColumns(const Image& image, int width) {
  Image out{width, image.height, {}};
  out.rgb.reserve(size_t{kChannels} * width * image.height);
  const std::vector<Filter> filters = MakeFilters(image.width, width);
  for (int y = 0; y < image.height; ++y) {
    const uint8_t* row = &image.rgb[size_t{kChannels} * y * image.width];
    for (const Filter& filter : filters) {
      for (int c = 0; c < kChannels; ++c) {
        out.rgb.push_back(Apply(filter, row + c, kChannels));
      }
    }
  }
  return out;
}

Image ResizeRows(const Image& image, int height) {
  Image out{image.width, height, {}};
  const size_t row_bytes = size_t{kChannels} * image.width;
  out.rgb.reserve(row_bytes * height);
  for (const Filter& filter : MakeFilters(image.height, height)) {
    for (size_t i = 0; i < row_bytes; ++i) {
      out.rgb.push_back(Apply(filter, &image.rgb[i], row_bytes));
    }
  }
  return out;
}

}  // namespace

Result<Image> ResizeBilinear(const Image& image, int width, int height) {
  if (width <= 0 || height <= 0 || int64_t{width} * height > kMaxImagePixels ||
      int64_t{width} * image.height > kMaxImagePixels) {
    return InvalidArgument("cannot resize a picture to " +
                           std::to_string(width) + "x" +
                           std::to_string(height));
  }
  if (image.rgb.empty()) return InvalidArgument("cannot resize no pixels");
  // As in PIL the intermediate picture is rounded to 8 bits.
  Image wide = width == image.width ? image : ResizeColumns(image, width);
  if (height == image.height) return wide;
  return ResizeRows(wide, height);
}

}  // namespace stint
