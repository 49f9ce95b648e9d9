#include "convert/data/compressed_file.h"

#include <lzma.h>
#include <zlib.h>

#include <algorithm>
#include <vector>

#include "core/base/check.h"
#include "core/platform/file.h"

namespace stint {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 16;
// What an xz decoder may use; the strongest preset needs 65 MiB.
constexpr uint64_t kXzMemoryBytes = uint64_t{128} << 20;
// zlib's window bits plus 16: expect a gzip header.
constexpr int kGzipWindowBits = 15 + 16;
// zlib counts input in 32 bits.
constexpr size_t kMaxInputStep = size_t{1} << 30;

// How much is unpacked, and what happens to more than that.
struct Limit {
  int64_t bytes = 0;
  enum { kRefuse, kIgnore } more = kRefuse;
};

// What has been unpacked so far.
class Unpacked {
 public:
  explicit Unpacked(Limit limit) : limit_(limit) {}

  Status Append(const std::vector<uint8_t>& chunk, size_t count) {
    const size_t space = static_cast<size_t>(limit_.bytes) - bytes_.size();
    if (count > space && limit_.more == Limit::kRefuse) {
      return ResourceExhausted("unpacks to more than the limit of " +
                               std::to_string(limit_.bytes) + " bytes");
    }
    bytes_.append(reinterpret_cast<const char*>(chunk.data()),
                  std::min(count, space));
    return OkStatus();
  }
  // Nothing more is wanted.
  bool complete() const {
    return limit_.more == Limit::kIgnore &&
           static_cast<int64_t>(bytes_.size()) == limit_.bytes;
  }
  std::string Take() { return std::move(bytes_); }

 private:
  const Limit limit_;
  std::string bytes_;
};

Status GzipError(const z_stream& stream) {
  return Damaged("gzip data damaged or truncated after " +
                 std::to_string(stream.total_in) + " bytes" +
                 (stream.msg != nullptr ? std::string(": ") + stream.msg : ""));
}

// Unpacks one gzip member from the front of `packed` and removes it.
Status UnpackMember(z_stream* stream, std::string_view* packed, Unpacked* out) {
  std::vector<uint8_t> chunk(kChunkBytes);
  int code = Z_OK;
  while (code != Z_STREAM_END && !out->complete()) {
    const size_t step = std::min(packed->size(), kMaxInputStep);
    stream->next_in =
        reinterpret_cast<Bytef*>(const_cast<char*>(packed->data()));
    stream->avail_in = static_cast<uInt>(step);
    stream->next_out = chunk.data();
    stream->avail_out = kChunkBytes;
    code = inflate(stream, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END) return GzipError(*stream);
    packed->remove_prefix(step - stream->avail_in);
    STINT_RETURN_IF_ERROR(out->Append(chunk, kChunkBytes - stream->avail_out));
  }
  return OkStatus();
}

Status RunXz(lzma_stream* stream, Unpacked* out) {
  std::vector<uint8_t> chunk(kChunkBytes);
  lzma_ret code = LZMA_OK;
  while (code != LZMA_STREAM_END && !out->complete()) {
    stream->next_out = chunk.data();
    stream->avail_out = kChunkBytes;
    code = lzma_code(stream, LZMA_FINISH);
    if (code == LZMA_MEMLIMIT_ERROR) {
      return ResourceExhausted("xz data needs more than " +
                               std::to_string(kXzMemoryBytes) +
                               " bytes to unpack");
    }
    if (code != LZMA_OK && code != LZMA_STREAM_END) {
      return Damaged("xz data damaged or truncated after " +
                     std::to_string(stream->total_in) + " bytes");
    }
    STINT_RETURN_IF_ERROR(out->Append(chunk, kChunkBytes - stream->avail_out));
  }
  return OkStatus();
}

Result<std::string> UnpackGzip(std::string_view packed, Limit limit) {
  z_stream stream = {};
  if (inflateInit2(&stream, kGzipWindowBits) != Z_OK) {
    return ResourceExhausted("out of memory for zlib");
  }
  Unpacked out(limit);
  Status status;
  do {
    status = UnpackMember(&stream, &packed, &out);
    if (status.ok()) inflateReset(&stream);
  } while (status.ok() && !packed.empty() && !out.complete());
  inflateEnd(&stream);
  if (!status.ok()) return status;
  return out.Take();
}

Result<std::string> UnpackXz(std::string_view packed, Limit limit) {
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, kXzMemoryBytes, LZMA_CONCATENATED) !=
      LZMA_OK) {
    return ResourceExhausted("out of memory for liblzma");
  }
  stream.next_in = reinterpret_cast<const uint8_t*>(packed.data());
  stream.avail_in = packed.size();
  Unpacked out(limit);
  const Status status = RunXz(&stream, &out);
  lzma_end(&stream);
  if (!status.ok()) return status;
  return out.Take();
}

bool IsPacked(const std::string& path) {
  return path.ends_with(".gz") || path.ends_with(".xz");
}

std::string_view ContentOf(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()),
          file.bytes().size()};
}

Result<std::string> UnpackFile(const std::string& path, Limit limit) {
  STINT_ASSIGN_OR_RETURN(const auto file, MappedFile::Open(path));
  const std::string_view packed = ContentOf(*file);
  Result<std::string> unpacked = path.ends_with(".gz")
                                     ? UnpackGzip(packed, limit)
                                     : UnpackXz(packed, limit);
  if (!unpacked.ok()) return unpacked.status().Annotate(path);
  return unpacked;
}

}  // namespace

Result<std::string> UnpackGzip(std::string_view packed, int64_t max_bytes) {
  return UnpackGzip(packed, Limit{max_bytes});
}

Result<std::string> UnpackXz(std::string_view packed, int64_t max_bytes) {
  return UnpackXz(packed, Limit{max_bytes});
}

Result<std::string> ReadMaybeCompressed(const std::string& path,
                                        int64_t max_bytes) {
  return IsPacked(path) ? UnpackFile(path, {max_bytes}) : ReadFile(path);
}

Result<std::string> ReadFirstBytes(const std::string& path, int64_t bytes) {
  STINT_CHECK(bytes > 0);
  if (IsPacked(path)) return UnpackFile(path, {bytes, Limit::kIgnore});
  STINT_ASSIGN_OR_RETURN(const auto file, MappedFile::Open(path));
  const std::string_view content = ContentOf(*file);
  return std::string(content.substr(0, static_cast<size_t>(bytes)));
}

}  // namespace stint
