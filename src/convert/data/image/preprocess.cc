#include "convert/data/image/preprocess.h"

#include <string>

#include "convert/data/image/resize.h"

namespace stint {
namespace {

constexpr int kChannels = 3;

Status Check(const Preprocessing& preprocessing) {
  if (preprocessing.scale == 0) return InvalidArgument("scale is 0");
  for (const float std : preprocessing.std) {
    if (std == 0) return InvalidArgument("std is 0");
  }
  if (preprocessing.size < 0) {
    return InvalidArgument("size is " + std::to_string(preprocessing.size) +
                           ", expected 0 or more");
  }
  return OkStatus();
}

// Splits the channels of one picture into planes [3, height, width].
void FillPlanes(const Image& image, const Preprocessing& p, float* out) {
  const size_t pixels = size_t(image.width) * image.height;
  for (int c = 0; c < kChannels; ++c) {
    std::array<float, 256> values;
    for (int v = 0; v < 256; ++v) {
      values[v] = (static_cast<float>(v) / p.scale - p.mean[c]) / p.std[c];
    }
    const bool reversed = p.channel_order == ChannelOrder::kBgr;
    const uint8_t* in = image.rgb.data() + (reversed ? kChannels - 1 - c : c);
    for (size_t i = 0; i < pixels; ++i) *out++ = values[in[kChannels * i]];
  }
}

}  // namespace

Result<Tensor> Preprocess(std::span<const Image> images,
                          const Preprocessing& preprocessing) {
  STINT_RETURN_IF_ERROR(Check(preprocessing));
  if (images.empty()) return InvalidArgument("no picture to preprocess");
  const int side = preprocessing.size;
  const int width = side > 0 ? side : images[0].width;
  const int height = side > 0 ? side : images[0].height;
  STINT_ASSIGN_OR_RETURN(
      Tensor tensor,
      Tensor::Allocate(DType::kFloat32, {static_cast<int64_t>(images.size()),
                                         kChannels, height, width}));
  float* out = tensor.data<float>();
  for (const Image& image : images) {
    if (image.width == width && image.height == height) {
      FillPlanes(image, preprocessing, out);
    } else if (side > 0) {
      STINT_ASSIGN_OR_RETURN(const Image resized,
                             ResizeBilinear(image, width, height));
      FillPlanes(resized, preprocessing, out);
    } else {
      return InvalidArgument(
          "pictures of one batch differ: " + std::to_string(width) + "x" +
          std::to_string(height) + " and " + std::to_string(image.width) + "x" +
          std::to_string(image.height) + "; give a size to resize to");
    }
    out += size_t{kChannels} * width * height;
  }
  return tensor;
}

}  // namespace stint
