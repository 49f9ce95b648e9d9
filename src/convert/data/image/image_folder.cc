#include "convert/data/image/image_folder.h"

#include <algorithm>
#include <charconv>

#include "convert/data/tar.h"

namespace stint {
namespace {

// Of an archive: what may be in memory while its entries are looked for.
constexpr size_t kReleaseBytes = size_t{1} << 20;

bool IsPicture(std::string_view name) {
  return name.ends_with(".jpg") || name.ends_with(".jpeg") ||
         name.ends_with(".png");
}

}  // namespace

Status ImageFolder::Add(const std::string& name,
                        std::span<const uint8_t> content) {
  if (!IsPicture(name)) return OkStatus();
  const std::string base = BaseName(name);
  int label = 0;
  const char* end = base.data() + base.size();
  const auto [stop, error] = std::from_chars(base.data(), end, label);
  if (error != std::errc() || label < 0 || stop == end || *stop != '_') {
    return InvalidArgument(path_ + ": picture '" + name +
                           "': expected a class index and '_' in front, as "
                           "in 007_name.jpg");
  }
  entries_.push_back({name, label, content});
  return OkStatus();
}

Result<ImageFolder> ImageFolder::Open(const std::string& path) {
  ImageFolder folder;
  folder.path_ = path;
  if (DirectoryExists(path)) {
    STINT_ASSIGN_OR_RETURN(const auto names, ListDirectory(path));
    for (const std::string& name : names) {
      STINT_RETURN_IF_ERROR(folder.Add(name, {}));
    }
  } else {
    STINT_ASSIGN_OR_RETURN(folder.archive_, MappedFile::Open(path));
    size_t released = 0;
    const auto bytes = folder.archive_->bytes();
    const auto release = [&](size_t passed) {
      if (passed < released + kReleaseBytes) return;
      folder.archive_->Release(bytes.first(passed));
      released = passed;
    };
    const auto entries = ReadTar(bytes, release);
    if (!entries.ok()) return entries.status().Annotate(path);
    for (const TarEntry& entry : *entries) {
      STINT_RETURN_IF_ERROR(folder.Add(entry.name, entry.content));
    }
    folder.archive_->Release(bytes);
  }
  if (folder.entries_.empty()) {
    return InvalidArgument(path + ": holds no .jpg or .png picture");
  }
  std::sort(folder.entries_.begin(), folder.entries_.end(),
            [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return folder;
}

Result<Image> ImageFolder::Decode(size_t i) const {
  const Entry& entry = entries_[i];
  if (archive_ == nullptr) return ReadImage(JoinPath(path_, entry.name));
  Result<Image> image =
      DecodeImage({reinterpret_cast<const char*>(entry.content.data()),
                   entry.content.size()});
  // All of it: pages at the ends of an entry belong to its neighbors, too.
  archive_->Release(archive_->bytes());
  if (!image.ok()) {
    return image.status().Annotate(path_ + ": picture '" + entry.name + "'");
  }
  return image;
}

}  // namespace stint
