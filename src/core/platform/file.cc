#include "core/platform/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
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

// Kind of what is there, links followed; 0: nothing.
mode_t KindOf(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 ? info.st_mode & S_IFMT : 0;
}

// Where a file is, or would be, that links may lead to.
Result<std::string> FollowLinks(std::string path) {
  constexpr int kMostLinks = 40;  // as many as Linux follows
  for (int i = 0; i < kMostLinks; ++i) {
    std::string target(PATH_MAX, '\0');
    const ssize_t n = readlink(path.c_str(), target.data(), target.size());
    if (n < 0) return path;
    target.resize(static_cast<size_t>(n));
    path =
        target.starts_with('/') ? target : JoinPath(DirectoryOf(path), target);
  }
  return InvalidArgument(path + ": more than 40 links");
}

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

// Of the whole pages that a part lies in. It is advice: errors do not matter.
void Advise(std::span<const uint8_t> part, int advice) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const size_t before = reinterpret_cast<uintptr_t>(part.data()) % page;
  (void)madvise(const_cast<uint8_t*>(part.data()) - before,
                before + part.size(), advice);
}

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::Open(
    const std::string& path) {
  Descriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return Map(path, fd.get());
}

Result<std::shared_ptr<const MappedFile>> MappedFile::Map(
    const std::string& path, int fd) {
  size_t size = 0;
  STINT_RETURN_IF_ERROR(OpenRegular(path, fd, &size));
  void* data = nullptr;
  if (size > 0) {
    data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) return SystemError(path, "cannot map");
  }
  return std::shared_ptr<const MappedFile>(
      new MappedFile(path, static_cast<const uint8_t*>(data), size));
}

Result<std::shared_ptr<const MappedFile>> MappedFile::OpenSparse(
    const std::string& path) {
  auto file = Open(path);
  if (file.ok()) Advise((*file)->bytes(), MADV_RANDOM);
  return file;
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

void ReadAhead(std::span<const uint8_t> part) { Advise(part, MADV_WILLNEED); }

void ReadAround(std::span<const uint8_t> part) { Advise(part, MADV_NORMAL); }

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

Status CheckFileOrNothing(const std::string& path) {
  const mode_t kind = KindOf(path);
  if (kind == 0 || kind == S_IFREG) return OkStatus();
  const char* what = kind == S_IFDIR    ? "a folder"
                     : kind == S_IFSOCK ? "a socket"
                     : kind == S_IFIFO  ? "a pipe"
                                        : "a device";
  return InvalidArgument(path + ": is " + what + ", expected a file");
}

Result<AtomicFile> AtomicFile::Create(const std::string& path) {
  const mode_t kind = KindOf(path);
  if (kind == S_IFIFO || kind == S_IFCHR) {
    std::error_code error;
    const auto folder = std::filesystem::temp_directory_path(error);
    std::string unnamed =
        JoinPath(error ? "/tmp" : folder.string(), "stint-XXXXXX");
    const int fd = mkostemp(unnamed.data(), O_CLOEXEC);
    if (fd < 0) return SystemError(unnamed, "cannot create");
    unlink(unnamed.c_str());
    return AtomicFile(path, "", fd);
  }
  STINT_RETURN_IF_ERROR(CheckFileOrNothing(path));
  STINT_ASSIGN_OR_RETURN(std::string place, FollowLinks(path));
  std::string temporary = place + ".tmp." + std::to_string(getpid());
  const int fd =
      open(temporary.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return SystemError(temporary, "cannot create");
  return AtomicFile(std::move(place), std::move(temporary), fd);
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      fd_(std::exchange(other.fd_, -1)),
      bytes_(other.bytes_) {}

AtomicFile::~AtomicFile() {
  if (fd_ < 0) return;
  close(fd_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

Status AtomicFile::Append(std::string_view bytes) {
  STINT_RETURN_IF_ERROR(WriteAll(Written(), fd_, bytes, bytes_));
  bytes_ += static_cast<int64_t>(bytes.size());
  return OkStatus();
}

Status AtomicFile::WriteAt(int64_t offset, std::string_view bytes) {
  return WriteAll(Written(), fd_, bytes, offset);
}

Result<std::shared_ptr<const MappedFile>> AtomicFile::Map() const {
  return MappedFile::Map(Written(), fd_);
}

// In order, as a pipe takes it.
Status AtomicFile::CopyInto() {
  const Descriptor to(open(path_.c_str(), O_WRONLY | O_CLOEXEC));
  if (to.get() < 0) return SystemError(path_, "cannot open");
  std::string piece(1 << 16, '\0');
  int64_t done = 0;
  while (true) {
    const ssize_t n = pread(fd_, piece.data(), piece.size(), done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return SystemError(path_, "cannot read what is to be written");
    if (n == 0) return OkStatus();
    std::string_view left(piece.data(), static_cast<size_t>(n));
    while (!left.empty()) {
      const ssize_t written = write(to.get(), left.data(), left.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return SystemError(path_, "cannot write");
      left.remove_prefix(static_cast<size_t>(written));
    }
    done += n;
  }
}

Status AtomicFile::Commit() {
  if (temporary_.empty()) {
    STINT_RETURN_IF_ERROR(CopyInto());
    close(std::exchange(fd_, -1));
    return OkStatus();
  }
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
