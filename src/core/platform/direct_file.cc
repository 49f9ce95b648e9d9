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

Status DirectFile::Failed(int64_t offset, size_t bytes,
                          const std::string& why) const {
  return IoError(path_ + ": cannot read " + std::to_string(bytes) +
                 " bytes at " + std::to_string(offset) + ": " + why);
}

Status DirectFile::Read(int64_t offset, std::span<uint8_t> to,
                        int64_t done) const {
  const auto bytes = static_cast<int64_t>(to.size());
  while (done < bytes) {
    const ssize_t n = pread(fd_, to.data() + done,
                            static_cast<size_t>(bytes - done), offset + done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Failed(offset, to.size(), std::strerror(errno));
    if (n == 0) {
      return Failed(offset, to.size(),
                    "the file ends at " + std::to_string(offset + done));
    }
    done += n;
  }
  return OkStatus();
}

}  // namespace stint
