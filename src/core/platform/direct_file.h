#pragma once
// Reads past the system's page cache, to see what storage itself can do.

#include <cstdint>
#include <span>
#include <string>

#include "stint/status.h"

namespace stint {

class DirectFile {
 public:
  // Where the file system knows no direct reads, direct() is false and reads
  // go through the page cache.
  static Result<DirectFile> Open(const std::string& path);
  ~DirectFile();
  DirectFile(DirectFile&& other) noexcept;
  DirectFile& operator=(DirectFile&&) = delete;

  bool direct() const { return direct_; }

  // Fills `to` from `offset`; both, and the address, are multiples of 4096.
  // kIo when the file ends before.
  Status Read(int64_t offset, std::span<uint8_t> to) const;

 private:
  DirectFile(std::string path, int fd, bool direct)
      : path_(std::move(path)), fd_(fd), direct_(direct) {}
  std::string path_;
  int fd_;
  bool direct_;
};

}  // namespace stint
