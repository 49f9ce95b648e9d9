#pragma once
// A labeled set of pictures: a folder or a tar archive of files CCC_*.jpg,
// where CCC is the class index in decimal digits.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "convert/data/image/image.h"
#include "core/platform/file.h"
#include "stint/status.h"

namespace stint {

// Pictures are decoded when asked for; a tar archive stays mapped, and what was
// read of it is given back. Const use from several threads is fine.
class ImageFolder {
 public:
  // Takes .jpg, .jpeg and .png files and leaves others alone. Fails when there
  // are none and when a picture's name does not start with a class index.
  static Result<ImageFolder> Open(const std::string& path);

  size_t size() const { return entries_.size(); }
  const std::string& name(size_t i) const { return entries_[i].name; }
  int label(size_t i) const { return entries_[i].label; }
  // Errors name the folder or archive and the picture.
  Result<Image> Decode(size_t i) const;

 private:
  struct Entry {
    std::string name;
    int label = 0;
    std::span<const uint8_t> content;  // of a tar archive; else read from disk
  };

  Status Add(const std::string& name, std::span<const uint8_t> content);

  std::string path_;
  std::shared_ptr<const MappedFile> archive_;  // null for a folder
  std::vector<Entry> entries_;                 // sorted by name
};

}  // namespace stint
