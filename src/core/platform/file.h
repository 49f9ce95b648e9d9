#pragma once
// Files as the rest of stint sees them. Errors name the path.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stint/status.h"

namespace stint {

// A whole file mapped read-only. Bytes stay valid while any copy of the
// shared_ptr lives.
class MappedFile {
 public:
  static Result<std::shared_ptr<const MappedFile>> Open(
      const std::string& path);
  // For files of which little is wanted: storage reads what is touched and
  // nothing around it, unless ReadAround or ReadAhead say so for a part.
  static Result<std::shared_ptr<const MappedFile>> OpenSparse(
      const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const uint8_t> bytes() const { return {data_, size_}; }
  // Keeps `part` of the file's bytes valid. When the last copy is gone, the
  // process no longer counts the memory of that part as its own.
  static std::shared_ptr<const void> Hold(
      std::shared_ptr<const MappedFile> file, std::span<const uint8_t> part);
  // Gives back the memory of `part`; touching it reads the file again.
  void Release(std::span<const uint8_t> part) const;
  const std::string& path() const { return path_; }

 private:
  friend class AtomicFile;
  static Result<std::shared_ptr<const MappedFile>> Map(const std::string& path,
                                                       int fd);
  MappedFile(std::string path, const uint8_t* data, size_t size)
      : path_(std::move(path)), data_(data), size_(size) {}
  std::string path_;
  const uint8_t* data_;
  size_t size_;
};

// Asks the system to read a part of a mapped file in the background.
void ReadAhead(std::span<const uint8_t> part);
// Or, when some of it is touched, much around that at once.
void ReadAround(std::span<const uint8_t> part);

// The whole file as bytes in memory.
Result<std::string> ReadFile(const std::string& path);

// A file that takes its place only when it is complete: written beside `path`,
// synced and renamed by Commit(). Without that, nothing is left of it. Links
// stay and what they lead to is replaced; pipes and character devices
// (/dev/null) stay and are written into by Commit(). kInvalidArgument when
// something else is in its place.
class AtomicFile {
 public:
  static Result<AtomicFile> Create(const std::string& path);
  ~AtomicFile();
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;

  Status Append(std::string_view bytes);
  // Overwrites what has been appended before.
  Status WriteAt(int64_t offset, std::string_view bytes);
  int64_t bytes() const { return bytes_; }
  // What has been written so far, from where it was written to.
  Result<std::shared_ptr<const MappedFile>> Map() const;
  Status Commit();

 private:
  AtomicFile(std::string path, std::string temporary, int fd)
      : path_(std::move(path)), temporary_(std::move(temporary)), fd_(fd) {}
  Status CopyInto();
  const std::string& Written() const {
    return temporary_.empty() ? path_ : temporary_;
  }
  std::string path_;
  std::string temporary_;  // empty: it has no name, and is copied into `path`
  int fd_;
  int64_t bytes_ = 0;
};

// Writes a file so that `path` is either the old or the complete new content.
Status WriteFileAtomically(const std::string& path,
                           std::span<const std::string_view> parts);
Status WriteFileAtomically(const std::string& path, std::string_view content);

// Asks the system to forget the cached content of a file, or of every file of a
// folder, so that the next read comes from storage.
Status DropPageCache(const std::string& path);

// Fails when there is no such file.
Status RemoveFile(const std::string& path);

bool FileExists(const std::string& path);  // regular file
bool DirectoryExists(const std::string& path);
// kInvalidArgument says what is there when it is neither nothing nor a regular
// file, or leads to one.
Status CheckFileOrNothing(const std::string& path);
Status MakeDirectories(const std::string& path);

// Names (not paths) of the entries of a folder, sorted.
Result<std::vector<std::string>> ListDirectory(const std::string& path);

// "a/b" from "a" and "b".
std::string JoinPath(std::string_view folder, std::string_view name);
// The folder part of a path, "." when there is none.
std::string DirectoryOf(std::string_view path);
// The last component of a path.
std::string BaseName(std::string_view path);

}  // namespace stint
