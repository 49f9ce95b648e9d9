#include "convert/data/compressed_file.h"

#include <lzma.h>
#include <zlib.h>

#include <algorithm>
#include <vector>

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

// Appends what was unpacked, unless it passes the limit.
Status Append(const std::vector<uint8_t>& chunk, size_t count,
              int64_t max_bytes, std::string* out) {
  if (static_cast<int64_t>(out->size() + count) > max_bytes) {
    return ResourceExhausted("unpacks to more than the limit of " +
                             std::to_string(max_bytes) + " bytes");
  }
  out->append(reinterpret_cast<const char*>(chunk.data()), count);
  return OkStatus();
}

Status GzipError(const z_stream& stream) {
  return Damaged("gzip data damaged or truncated after " +
                 std::to_string(stream.total_in) + " bytes" +
                 (stream.msg != nullptr ? std::string(": ") + stream.msg : ""));
}

// Unpacks one gzip member from the front of `packed` and removes it.
Status UnpackMember(z_stream* stream, std::string_view* packed,
                    int64_t max_bytes, std::string* out) {
  std::vector<uint8_t> chunk(kChunkBytes);
  int code = Z_OK;
  while (code != Z_STREAM_END) {
    const size_t step = std::min(packed->size(), kMaxInputStep);
    stream->next_in =
        reinterpret_cast<Bytef*>(const_cast<char*>(packed->data()));
    stream->avail_in = static_cast<uInt>(step);
    stream->next_out = chunk.data();
    stream->avail_out = kChunkBytes;
    code = inflate(stream, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END) return GzipError(*stream);
    packed->remove_prefix(step - stream->avail_in);
    STINT_RETURN_IF_ERROR(
        Append(chunk, kChunkBytes - stream->avail_out, max_bytes, out));
  }
  return OkStatus();
}

Status RunXz(lzma_stream* stream, int64_t max_bytes, std::string* out) {
  std::vector<uint8_t> chunk(kChunkBytes);
  lzma_ret code = LZMA_OK;
  while (code != LZMA_STREAM_END) {
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
    STINT_RETURN_IF_ERROR(
        Append(chunk, kChunkBytes - stream->avail_out, max_bytes, out));
  }
  return OkStatus();
}

}  // namespace

Result<std::string> UnpackGzip(std::string_view packed, int64_t max_bytes) {
  z_stream stream = {};
  if (inflateInit2(&stream, kGzipWindowBits) != Z_OK) {
    return ResourceExhausted("out of memory for zlib");
  }
  std::string out;
  Status status;
  do {
    status = UnpackMember(&stream, &packed, max_bytes, &out);
    if (status.ok()) inflateReset(&stream);
  } while (status.ok() && !packed.empty());
  inflateEnd(&stream);
  if (!status.ok()) return status;
  return out;
}

Result<std::string> UnpackXz(std::string_view packed, int64_t max_bytes) {
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, kXzMemoryBytes, LZMA_CONCATENATED) !=
      LZMA_OK) {
    return ResourceExhausted("out of memory for liblzma");
  }
  stream.next_in = reinterpret_cast<const uint8_t*>(packed.data());
  stream.avail_in = packed.size();
  std::string out;
  Status status = RunXz(&stream, max_bytes, &out);
  lzma_end(&stream);
  if (!status.ok()) return status;
  return out;
}

Result<std::string> ReadMaybeCompressed(const std::string& path,
                                        int64_t max_bytes) {
  STINT_ASSIGN_OR_RETURN(std::string content, ReadFile(path));
  const bool gzip = path.ends_with(".gz");
  if (!gzip && !path.ends_with(".xz")) return content;
  Result<std::string> unpacked =
      gzip ? UnpackGzip(content, max_bytes) : UnpackXz(content, max_bytes);
  if (!unpacked.ok()) return unpacked.status().Annotate(path);
  return unpacked;
}

}  // namespace stint
