#include "convert/data/image.h"

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#define STBI_NO_STDIO
#define STBI_NO_HDR
#define STBI_NO_LINEAR
#include <stb/stb_image.h>

namespace stint {
namespace {

constexpr int kChannels = 3;

}  // namespace

Result<Image> DecodePng(std::string_view bytes) {
  const auto* data = reinterpret_cast<const stbi_uc*>(bytes.data());
  const int size = static_cast<int>(bytes.size());
  if (bytes.size() > static_cast<size_t>(kMaxImagePixels) * 4) {
    return ResourceExhausted("PNG of " + std::to_string(bytes.size()) +
                             " bytes");
  }
  Image image;
  int channels = 0;
  if (stbi_info_from_memory(data, size, &image.width, &image.height,
                            &channels) == 0) {
    return Damaged(std::string("PNG: ") + stbi_failure_reason());
  }
  if (int64_t{image.width} * image.height > kMaxImagePixels) {
    return ResourceExhausted("PNG of " + std::to_string(image.width) + "x" +
                             std::to_string(image.height) +
                             " pixels, at most " +
                             std::to_string(kMaxImagePixels) + " are read");
  }
  stbi_uc* pixels = stbi_load_from_memory(data, size, &image.width,
                                          &image.height, &channels, kChannels);
  if (pixels == nullptr) {
    return Damaged(std::string("PNG: ") + stbi_failure_reason());
  }
  image.rgb.assign(pixels,
                   pixels + size_t{kChannels} * image.width * image.height);
  stbi_image_free(pixels);
  return image;
}

}  // namespace stint
