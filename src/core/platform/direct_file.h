#pragma once
// Reads past the system's page cache: weights that are streamed must not fill
// it, and a measurement is to see what storage itself can do.

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

  int fd() const { return fd_; }
  bool direct() const { return direct_; }

  // Fills `to` from `offset`; both, and the address, are multiples of 4096. The
  // first `done` bytes are there already. kIo when the file ends before.
  Status Read(int64_t offset, std::span<uint8_t> to, int64_t done = 0) const;
  // kIo: "file: cannot read 8192 bytes at 4096: why".
  Status Failed(int64_t offset, size_t bytes, const std::string& why) const;

 private:
  DirectFile(std::string path, int fd, bool direct)
      : path_(std::move(path)), fd_(fd), direct_(direct) {}
  std::string path_;
  int fd_;
  bool direct_;
};

}  // namespace stint
