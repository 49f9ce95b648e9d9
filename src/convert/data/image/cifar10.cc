#include "convert/data/image/cifar10.h"

#include "convert/data/compressed_file.h"

namespace stint {
namespace {

constexpr int kSide = 32;
constexpr int kChannels = 3;
constexpr int kClasses = 10;
constexpr size_t kPlaneBytes = size_t{kSide} * kSide;
// Pictures between two times that memory of the file is given back.
constexpr size_t kReleaseRecords = 64;
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

std::string_view Cifar10::bytes() const {
  std::string_view all = unpacked_;
  if (file_ != nullptr) {
    all = {reinterpret_cast<const char*>(file_->bytes().data()),
           file_->bytes().size()};
  }
  return all.substr(0, most_bytes_);
}

size_t Cifar10::size() const { return bytes().size() / kRecordBytes; }

int Cifar10::label(size_t i) const {
  return static_cast<uint8_t>(bytes()[i * kRecordBytes]);
}

Image Cifar10::Picture(size_t i) const {
  Image image = Interleave(bytes().data() + i * kRecordBytes + 1);
  if ((i + 1) % kReleaseRecords == 0) Release((i + 1) * kRecordBytes);
  return image;
}

void Cifar10::Release(size_t end) const {
  if (file_ != nullptr) file_->Release(file_->bytes().first(end));
}

Status Cifar10::Check() const {
  const size_t left = bytes().size() % kRecordBytes;
  if (size() == 0 || left != 0) {
    return Damaged("CIFAR-10 record " + std::to_string(size()) + ": expected " +
                   std::to_string(kRecordBytes) + " bytes, found " +
                   std::to_string(left));
  }
  for (size_t i = 0; i < size(); ++i) {
    if (label(i) >= kClasses) {
      return Damaged("CIFAR-10 record " + std::to_string(i) + ": label is " +
                     std::to_string(label(i)) + ", expected 0 to 9");
    }
    if ((i + 1) % kReleaseRecords == 0) Release((i + 1) * kRecordBytes);
  }
  return OkStatus();
}

Result<Cifar10> Cifar10::Decode(std::string bytes) {
  Cifar10 data;
  data.unpacked_ = std::move(bytes);
  STINT_RETURN_IF_ERROR(data.Check());
  return data;
}

Result<Cifar10> Cifar10::Open(const std::string& path, int64_t most) {
  constexpr int64_t kMostRecords = kMaxUnpackedBytes / kRecordBytes;
  Cifar10 data;
  const bool all = most <= 0 || most >= kMostRecords;
  if (!all) data.most_bytes_ = static_cast<size_t>(most) * kRecordBytes;
  if (path.ends_with(".bin")) {
    STINT_ASSIGN_OR_RETURN(data.file_, MappedFile::Open(path));
  } else if (all) {
    STINT_ASSIGN_OR_RETURN(data.unpacked_, ReadMaybeCompressed(path));
  } else {
    STINT_ASSIGN_OR_RETURN(
        data.unpacked_,
        ReadFirstBytes(path, static_cast<int64_t>(data.most_bytes_)));
  }
  const Status status = data.Check();
  if (!status.ok()) return status.Annotate(path);
  return data;
}

}  // namespace stint
