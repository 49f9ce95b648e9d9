#include "core/platform/direct_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace stint {

Result<DirectFile> DirectFile::Open(const std::string& path) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT);
  const bool direct = fd >= 0;
  if (!direct) fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return NotFound(path + ": cannot open: " + std::strerror(errno));
  }
  return DirectFile(path, fd, direct);
}

DirectFile::~DirectFile() {
  if (fd_ >= 0) close(fd_);
}

DirectFile::DirectFile(DirectFile&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      direct_(other.direct_) {}

Status DirectFile::Read(int64_t offset, std::span<uint8_t> to) const {
  while (!to.empty()) {
    const ssize_t n = pread(fd_, to.data(), to.size(), offset);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      return IoError(path_ + ": cannot read at " + std::to_string(offset) +
                     ": " + (n < 0 ? std::strerror(errno) : "end of file"));
    }
    offset += n;
    to = to.subspan(static_cast<size_t>(n));
  }
  return OkStatus();
}

}  // namespace stint
