#include "core/platform/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace stint {
namespace {

Status SystemError(const std::string& path, const char* what) {
  const int error = errno;
  std::string message = path + ": " + what + ": " + std::strerror(error);
  return error == ENOENT || error == ENOTDIR ? NotFound(std::move(message))
                                             : IoError(std::move(message));
}

// Closes the descriptor at the end of a scope.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

// Opens a regular file for reading and finds its size.
Status OpenRegular(const std::string& path, int fd, size_t* size) {
  if (fd < 0) return SystemError(path, "cannot open");
  struct stat info {};
  if (fstat(fd, &info) != 0) return SystemError(path, "cannot stat");
  if (!S_ISREG(info.st_mode)) {
    return InvalidArgument(path + ": not a regular file");
  }
  *size = static_cast<size_t>(info.st_size);
  return OkStatus();
}

Status WriteAll(const std::string& path, int fd, std::string_view part,
                int64_t offset) {
  while (!part.empty()) {
    const ssize_t n = pwrite(fd, part.data(), part.size(), offset);
    if (n < 0) {
      if (errno == EINTR) continue;
      return SystemError(path, "cannot write");
    }
    part.remove_prefix(static_cast<size_t>(n));
    offset += n;
  }
  return OkStatus();
}

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::Open(
    const std::string& path) {
  Descriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  size_t size = 0;
  STINT_RETURN_IF_ERROR(OpenRegular(path, fd.get(), &size));
  void* data = nullptr;
  if (size > 0) {
    data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (data == MAP_FAILED) return SystemError(path, "cannot map");
  }
  return std::shared_ptr<const MappedFile>(
      new MappedFile(path, static_cast<const uint8_t*>(data), size));
}

MappedFile::~MappedFile() {
  if (size_ > 0) munmap(const_cast<uint8_t*>(data_), size_);
}

std::shared_ptr<const void> MappedFile::Hold(
    std::shared_ptr<const MappedFile> file, std::span<const uint8_t> part) {
  return std::shared_ptr<const void>(
      part.data(),
      [file = std::move(file), part](const void*) { file->Release(part); });
}

void MappedFile::Release(std::span<const uint8_t> part) const {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<uintptr_t>(part.data());
  const uintptr_t begin = (first + page - 1) / page * page;
  const uintptr_t end = (first + part.size()) / page * page;
  const auto map = reinterpret_cast<uintptr_t>(data_);
  if (begin >= end || begin < map || end > map + size_) return;
  madvise(const_cast<uint8_t*>(data_) + (begin - map), end - begin,
          MADV_DONTNEED);
}

Result<std::string> ReadFile(const std::string& path) {
  Descriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  size_t size = 0;
  STINT_RETURN_IF_ERROR(OpenRegular(path, fd.get(), &size));
  std::string content(size, '\0');
  size_t done = 0;
  while (done < size) {
    const ssize_t n = read(fd.get(), content.data() + done, size - done);
    if (n < 0) {
      if (errno == EINTR) continue;
      return SystemError(path, "cannot read");
    }
    if (n == 0) break;
    done += static_cast<size_t>(n);
  }
  content.resize(done);
  return content;
}

Result<AtomicFile> AtomicFile::Create(const std::string& path) {
  std::string temporary = path + ".tmp." + std::to_string(getpid());
  const int fd =
      open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return SystemError(temporary, "cannot create");
  return AtomicFile(path, std::move(temporary), fd);
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      fd_(std::exchange(other.fd_, -1)),
      bytes_(other.bytes_) {}

AtomicFile::~AtomicFile() {
  if (fd_ < 0) return;
  close(fd_);
  unlink(temporary_.c_str());
}

Status AtomicFile::Append(std::string_view bytes) {
  STINT_RETURN_IF_ERROR(WriteAll(temporary_, fd_, bytes, bytes_));
  bytes_ += static_cast<int64_t>(bytes.size());
  return OkStatus();
}

Status AtomicFile::WriteAt(int64_t offset, std::string_view bytes) {
  return WriteAll(temporary_, fd_, bytes, offset);
}

Status AtomicFile::Commit() {
  if (fsync(fd_) != 0) return SystemError(temporary_, "cannot sync");
  if (rename(temporary_.c_str(), path_.c_str()) != 0) {
    return SystemError(path_, "cannot rename into place");
  }
  close(std::exchange(fd_, -1));
  return OkStatus();
}

Status WriteFileAtomically(const std::string& path,
                           std::span<const std::string_view> parts) {
  STINT_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::Create(path));
  for (std::string_view part : parts) {
    STINT_RETURN_IF_ERROR(file.Append(part));
  }
  return file.Commit();
}

Status WriteFileAtomically(const std::string& path, std::string_view content) {
  return WriteFileAtomically(path, std::span(&content, 1));
}

Status DropPageCache(const std::string& path) {
  if (DirectoryExists(path)) {
    STINT_ASSIGN_OR_RETURN(const auto names, ListDirectory(path));
    for (const std::string& name : names) {
      STINT_RETURN_IF_ERROR(DropPageCache(JoinPath(path, name)));
    }
    return OkStatus();
  }
  Descriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) return SystemError(path, "cannot open");
  // Only clean pages are dropped.
  if (fdatasync(fd.get()) != 0) return SystemError(path, "cannot sync");
  if (posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED) != 0) {
    return IoError(path + ": the page cache cannot be dropped");
  }
  return OkStatus();
}

Status RemoveFile(const std::string& path) {
  if (unlink(path.c_str()) != 0) return SystemError(path, "cannot remove");
  return OkStatus();
}

bool FileExists(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

bool DirectoryExists(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

Status MakeDirectories(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return IoError(path + ": cannot create: " + error.message());
  return OkStatus();
}

Result<std::vector<std::string>> ListDirectory(const std::string& path) {
  DIR* dir = opendir(path.c_str());
  if (dir == nullptr) return SystemError(path, "cannot list");
  std::vector<std::string> names;
  while (const dirent* entry = readdir(dir)) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  closedir(dir);
  std::sort(names.begin(), names.end());
  return names;
}

std::string JoinPath(std::string_view folder, std::string_view name) {
  std::string path(folder);
  if (!path.empty() && path.back() != '/') path += '/';
  return path.append(name);
}

std::string DirectoryOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return std::string(path.substr(0, slash == 0 ? 1 : slash));
}

std::string BaseName(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  const size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path
                                                     : path.substr(slash + 1));
}

}  // namespace stint
