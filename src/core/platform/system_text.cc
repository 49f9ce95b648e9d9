#include "core/platform/system_text.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace stint {
namespace {

// Most of these files are shorter than a page: a session within a memory
// budget reads them, too.
constexpr size_t kPieceBytes = 4096;
constexpr size_t kMostBytes = 65536;

Status SystemError(const std::string& path, int error) {
  const std::string message = path + ": " + std::strerror(error);
  return error == ENOENT || error == ENOTDIR ? NotFound(message)
                                             : IoError(message);
}

}  // namespace

Result<std::string> ReadSystemText(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return SystemError(path, errno);
  std::string text;
  size_t done = 0;
  ssize_t n = 0;
  while (done < kMostBytes) {
    if (done == text.size()) text.resize(done + kPieceBytes);
    n = read(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<size_t>(n);
  }
  const int error = errno;
  close(fd);
  if (n < 0) return SystemError(path, error);
  text.resize(done);
  const size_t end = text.find_last_not_of(" \t\r\n");
  text.resize(end == std::string::npos ? 0 : end + 1);
  return text;
}

Result<double> ReadSystemNumber(const std::string& path) {
  STINT_ASSIGN_OR_RETURN(const std::string text, ReadSystemText(path));
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || !std::isfinite(value)) {
    return Damaged(path + ": '" + text.substr(0, 40) + "', expected a number");
  }
  return value;
}

}  // namespace stint
