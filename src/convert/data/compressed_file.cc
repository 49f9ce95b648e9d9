#include "convert/data/compressed_file.h"

#include <algorithm>

#include "convert/data/unpack.h"
#include "core/base/check.h"
#include "core/platform/file.h"

namespace stint {
namespace {

constexpr size_t kChunkBytes = size_t{64} << 10;
// The system maps pages around one that is touched, also some behind it.
constexpr size_t kAroundBytes = size_t{128} << 10;

// A file as it is, whose memory is given back behind the reader.
class PlainFile : public ByteStream {
 public:
  explicit PlainFile(std::shared_ptr<const MappedFile> file)
      : file_(std::move(file)) {}

  Result<size_t> Read(std::span<char> out) override {
    size_t done = 0;
    while (done < out.size() && next_ < file_->bytes().size()) {
      const auto part = file_->bytes().subspan(next_);
      const size_t count =
          std::min({out.size() - done, part.size(), kChunkBytes});
      std::copy_n(part.data(), count, out.data() + done);
      done += count;
      next_ += count;
      Release();
    }
    return done;
  }

 private:
  void Release() {
    if (next_ - released_ < kChunkBytes) return;
    const size_t from = released_ - std::min(released_, kAroundBytes);
    file_->Release(file_->bytes().subspan(from, next_ - from));
    released_ = next_;
  }

  std::shared_ptr<const MappedFile> file_;
  size_t next_ = 0;
  size_t released_ = 0;
};

Status TooLarge(int64_t max_bytes) {
  return ResourceExhausted("unpacks to more than the limit of " +
                           std::to_string(max_bytes) + " bytes");
}

// Content of which no more than `max_bytes` may come.
class LimitedContent : public ByteStream {
 public:
  LimitedContent(std::unique_ptr<ByteStream> content, int64_t max_bytes)
      : content_(std::move(content)), max_bytes_(max_bytes) {}

  Result<size_t> Read(std::span<char> out) override {
    STINT_ASSIGN_OR_RETURN(const size_t count, content_->Read(out));
    bytes_ += static_cast<int64_t>(count);
    if (bytes_ > max_bytes_) return TooLarge(max_bytes_);
    return count;
  }

 private:
  const std::unique_ptr<ByteStream> content_;
  const int64_t max_bytes_;
  int64_t bytes_ = 0;
};

// The first `bytes` of a stream, or all of it.
Result<std::string> ReadUpTo(int64_t bytes, ByteStream* stream) {
  const auto most = static_cast<size_t>(bytes);
  std::string content;
  size_t count = kChunkBytes;
  for (size_t step = count; count == step && content.size() < most;) {
    const size_t before = content.size();
    step = std::min(kChunkBytes, most - before);
    content.resize(before + step);
    STINT_ASSIGN_OR_RETURN(count, stream->Read({&content[before], step}));
    content.resize(before + count);
  }
  return content;
}

Result<std::string> Unpacked(Result<std::unique_ptr<ByteStream>> content,
                             int64_t max_bytes) {
  STINT_RETURN_IF_ERROR(content.status());
  // One more shows that there are too many.
  STINT_ASSIGN_OR_RETURN(std::string bytes,
                         ReadUpTo(max_bytes + 1, content->get()));
  if (static_cast<int64_t>(bytes.size()) > max_bytes) {
    return TooLarge(max_bytes);
  }
  return bytes;
}

bool IsPacked(const std::string& path) {
  return path.ends_with(".gz") || path.ends_with(".xz");
}

}  // namespace

Result<std::string> UnpackGzip(std::string_view packed, int64_t max_bytes) {
  return Unpacked(GzipContent(std::make_unique<MemoryStream>(packed)),
                  max_bytes);
}

Result<std::string> UnpackXz(std::string_view packed, int64_t max_bytes) {
  return Unpacked(XzContent(std::make_unique<MemoryStream>(packed)), max_bytes);
}

Result<std::unique_ptr<ByteStream>> OpenMaybeCompressed(const std::string& path,
                                                        int64_t max_bytes) {
  STINT_ASSIGN_OR_RETURN(auto file, MappedFile::Open(path));
  std::unique_ptr<ByteStream> content =
      std::make_unique<PlainFile>(std::move(file));
  if (!IsPacked(path)) return content;
  STINT_ASSIGN_OR_RETURN(content, path.ends_with(".gz")
                                      ? GzipContent(std::move(content))
                                      : XzContent(std::move(content)));
  return std::unique_ptr<ByteStream>(
      std::make_unique<LimitedContent>(std::move(content), max_bytes));
}

Result<std::string> ReadMaybeCompressed(const std::string& path,
                                        int64_t max_bytes) {
  if (!IsPacked(path)) return ReadFile(path);
  STINT_ASSIGN_OR_RETURN(const auto content,
                         OpenMaybeCompressed(path, max_bytes));
  auto bytes = ReadUpTo(max_bytes + 1, content.get());
  if (!bytes.ok()) return bytes.status().Annotate(path);
  return bytes;
}

Result<std::string> ReadFirstBytes(const std::string& path, int64_t bytes) {
  STINT_CHECK(bytes > 0);
  STINT_ASSIGN_OR_RETURN(const auto content, OpenMaybeCompressed(path, bytes));
  auto first = ReadUpTo(bytes, content.get());
  if (!first.ok()) return first.status().Annotate(path);
  return first;
}

}  // namespace stint
