#include "convert/data/cifar10.h"

#include "convert/data/compressed_file.h"

namespace stint {
namespace {

constexpr int kSide = 32;
constexpr int kChannels = 3;
constexpr int kClasses = 10;
constexpr size_t kPlaneBytes = size_t{kSide} * kSide;
constexpr size_t kRecordBytes = 1 + kChannels * kPlaneBytes;

// Planes [3][32][32] into interleaved pixels.
Image Interleave(const char* planes) {
  Image image{kSide, kSide, std::vector<uint8_t>(kChannels * kPlaneBytes)};
  for (int c = 0; c < kChannels; ++c) {
    for (size_t i = 0; i < kPlaneBytes; ++i) {
      image.rgb[kChannels * i + c] =
          static_cast<uint8_t>(planes[c * kPlaneBytes + i]);
    }
  }
  return image;
}

}  // namespace

Result<Cifar10> DecodeCifar10(std::string_view bytes) {
  const size_t records = bytes.size() / kRecordBytes;
  if (records == 0 || bytes.size() % kRecordBytes != 0) {
    return Damaged("CIFAR-10 record " + std::to_string(records) +
                   ": expected " + std::to_string(kRecordBytes) +
                   " bytes, found " +
                   std::to_string(bytes.size() % kRecordBytes));
  }
  Cifar10 data;
  for (size_t i = 0; i < records; ++i) {
    const char* record = bytes.data() + i * kRecordBytes;
    const int label = static_cast<uint8_t>(record[0]);
    if (label >= kClasses) {
      return Damaged("CIFAR-10 record " + std::to_string(i) + ": label is " +
                     std::to_string(label) + ", expected 0 to 9");
    }
    data.labels.push_back(label);
    data.images.push_back(Interleave(record + 1));
  }
  return data;
}

Result<Cifar10> ReadCifar10(const std::string& path) {
  STINT_ASSIGN_OR_RETURN(const std::string bytes, ReadMaybeCompressed(path));
  Result<Cifar10> data = DecodeCifar10(bytes);
  if (!data.ok()) return data.status().Annotate(path);
  return data;
}

}  // namespace stint
