#include <zlib.h>

#include <array>
#include <climits>

#include "convert/data/image/image.h"

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
constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";
// A chunk: length (4 bytes), type (4), data, checksum (4).
constexpr size_t kChunkBytes = 12;
constexpr size_t kHeaderBytes = 13;
// The compression inside a PNG shrinks to no less than 1/1032.
constexpr int64_t kMaxRatio = 1032;

uint32_t BigEndian(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) {
    value = value << 8 | static_cast<uint8_t>(bytes[at + i]);
  }
  return value;
}

// Checks that all chunks lie inside the file and have their checksum: stb
// checks neither and allocates what a chunk announces.
Status CheckChunks(std::string_view bytes) {
  size_t offset = kSignature.size();
  while (bytes.size() - offset >= kChunkBytes) {
    const size_t length = BigEndian(bytes, offset);
    const std::string_view type = bytes.substr(offset + 4, 4);
    const std::string where = "PNG chunk at offset " + std::to_string(offset);
    if (length > bytes.size() - offset - kChunkBytes) {
      return Damaged(where + ": " + std::to_string(length) +
                     " bytes are cut off after " +
                     std::to_string(bytes.size() - offset - kChunkBytes));
    }
    const auto checksum = static_cast<uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(type.data()),
              static_cast<uInt>(4 + length)));
    if (checksum != BigEndian(bytes, offset + 8 + length)) {
      return Damaged(where + ": wrong checksum");
    }
    if (type == "IEND") return OkStatus();
    offset += kChunkBytes + length;
  }
  return Damaged("PNG ends without its end chunk at offset " +
                 std::to_string(offset));
}

// Checks the size announced by the first chunk before memory is spent on it.
Status CheckSize(std::string_view bytes) {
  const size_t data = kSignature.size() + 8;
  if (bytes.substr(data - 4, 4) != "IHDR" ||
      BigEndian(bytes, data - 8) != kHeaderBytes) {
    return Damaged("PNG does not begin with its header chunk");
  }
  const int64_t width = BigEndian(bytes, data);
  const int64_t height = BigEndian(bytes, data + 4);
  const std::string size = "PNG of " + std::to_string(width) + "x" +
                           std::to_string(height) + " pixels";
  if (width == 0 || height == 0) return Damaged(size);
  if (width > kMaxImagePixels / height) {
    return ResourceExhausted(size + ", at most " +
                             std::to_string(kMaxImagePixels) + " are read");
  }
  // Samples per pixel by color type: gray, -, RGB, palette, gray and alpha, -,
  // RGB and alpha.
  constexpr std::array<int, 8> kSamples = {1, 0, 3, 1, 2, 0, 4, 0};
  const int depth = static_cast<uint8_t>(bytes[data + 8]);
  const int samples = kSamples[static_cast<uint8_t>(bytes[data + 9]) & 7];
  if (width * height * depth * samples / 8 >
      static_cast<int64_t>(bytes.size()) * kMaxRatio) {
    return Damaged(size + " cannot be in " + std::to_string(bytes.size()) +
                   " bytes");
  }
  return OkStatus();
}

}  // namespace

Result<Image> DecodePng(std::string_view bytes) {
  if (!bytes.starts_with(kSignature)) return Damaged("PNG signature is wrong");
  if (bytes.size() > static_cast<size_t>(INT_MAX)) {
    return ResourceExhausted("PNG of " + std::to_string(bytes.size()) +
                             " bytes");
  }
  STINT_RETURN_IF_ERROR(CheckChunks(bytes));
  STINT_RETURN_IF_ERROR(CheckSize(bytes));
  Image image;
  int channels = 0;
  stbi_uc* pixels =
      stbi_load_from_memory(reinterpret_cast<const stbi_uc*>(bytes.data()),
                            static_cast<int>(bytes.size()), &image.width,
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
