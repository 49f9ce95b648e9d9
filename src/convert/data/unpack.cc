#include "convert/data/unpack.h"

#include <lzma.h>
#include <zlib.h>

#include <algorithm>
#include <string>
#include <vector>

namespace stint {
namespace {

// Packed bytes in memory at a time.
constexpr size_t kChunkBytes = size_t{16} << 10;
// What an xz decoder may use; the strongest preset needs 65 MiB.
constexpr uint64_t kXzMemoryBytes = uint64_t{128} << 20;
// zlib's window bits plus 16: expect a gzip header.
constexpr int kGzipWindowBits = 15 + 16;
// zlib counts output in 32 bits.
constexpr size_t kMaxStepBytes = size_t{1} << 30;

// Packed bytes, a chunk at a time.
class Chunks {
 public:
  explicit Chunks(std::unique_ptr<ByteStream> packed)
      : packed_(std::move(packed)), chunk_(kChunkBytes) {}

  // The next chunk, valid until the next call; empty at the end.
  Result<std::span<const uint8_t>> Next() {
    if (ended_) return std::span<const uint8_t>();
    STINT_ASSIGN_OR_RETURN(const size_t count, packed_->Read(chunk_));
    ended_ = count < chunk_.size();
    return std::span(reinterpret_cast<const uint8_t*>(chunk_.data()), count);
  }
  bool ended() const { return ended_; }

 private:
  std::unique_ptr<ByteStream> packed_;
  std::vector<char> chunk_;
  bool ended_ = false;
};

class GzipStream : public ByteStream {
 public:
  explicit GzipStream(std::unique_ptr<ByteStream> packed)
      : packed_(std::move(packed)) {}
  ~GzipStream() override { inflateEnd(&stream_); }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

  Status Init() {
    if (inflateInit2(&stream_, kGzipWindowBits) == Z_OK) return OkStatus();
    return ResourceExhausted("out of memory for zlib");
  }

  Result<size_t> Read(std::span<char> out) override {
    size_t done = 0;
    while (done < out.size()) {
      const size_t step = std::min(out.size() - done, kMaxStepBytes);
      STINT_ASSIGN_OR_RETURN(const size_t count,
                             ReadStep(out.subspan(done, step)));
      done += count;
      if (count < step) break;
    }
    return done;
  }

 private:
  Result<size_t> ReadStep(std::span<char> out) {
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    while (stream_.avail_out > 0) {
      if (stream_.avail_in == 0) STINT_RETURN_IF_ERROR(Refill());
      if (member_ended_) {
        if (stream_.avail_in == 0) break;
        inflateReset(&stream_);
      }
      const int code = inflate(&stream_, Z_NO_FLUSH);
      if (code != Z_OK && code != Z_STREAM_END) return Error();
      member_ended_ = code == Z_STREAM_END;
    }
    return out.size() - stream_.avail_out;
  }

  Status Refill() {
    STINT_ASSIGN_OR_RETURN(const auto chunk, packed_.Next());
    stream_.next_in = const_cast<Bytef*>(chunk.data());
    stream_.avail_in = static_cast<uInt>(chunk.size());
    return OkStatus();
  }

  Status Error() const {
    return Damaged(
        "gzip data damaged or truncated after " +
        std::to_string(stream_.total_in) + " bytes" +
        (stream_.msg != nullptr ? std::string(": ") + stream_.msg : ""));
  }

  Chunks packed_;
  z_stream stream_ = {};
  bool member_ended_ = false;
};

class XzStream : public ByteStream {
 public:
  explicit XzStream(std::unique_ptr<ByteStream> packed)
      : packed_(std::move(packed)) {}
  ~XzStream() override { lzma_end(&stream_); }
  XzStream(const XzStream&) = delete;
  XzStream& operator=(const XzStream&) = delete;

  Status Init() {
    if (lzma_stream_decoder(&stream_, kXzMemoryBytes, LZMA_CONCATENATED) ==
        LZMA_OK) {
      return OkStatus();
    }
    return ResourceExhausted("out of memory for liblzma");
  }

  Result<size_t> Read(std::span<char> out) override {
    stream_.next_out = reinterpret_cast<uint8_t*>(out.data());
    stream_.avail_out = out.size();
    while (stream_.avail_out > 0 && !ended_) {
      if (stream_.avail_in == 0) {
        STINT_ASSIGN_OR_RETURN(const auto chunk, packed_.Next());
        stream_.next_in = chunk.data();
        stream_.avail_in = chunk.size();
      }
      const lzma_ret code =
          lzma_code(&stream_, packed_.ended() ? LZMA_FINISH : LZMA_RUN);
      if (code == LZMA_MEMLIMIT_ERROR) {
        return ResourceExhausted("xz data needs more than " +
                                 std::to_string(kXzMemoryBytes) +
                                 " bytes to unpack");
      }
      if (code != LZMA_OK && code != LZMA_STREAM_END) {
        return Damaged("xz data damaged or truncated after " +
                       std::to_string(stream_.total_in) + " bytes");
      }
      ended_ = code == LZMA_STREAM_END;
    }
    return out.size() - stream_.avail_out;
  }

 private:
  Chunks packed_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool ended_ = false;
};

template <typename Stream>
Result<std::unique_ptr<ByteStream>> ContentOf(
    std::unique_ptr<ByteStream> packed) {
  auto stream = std::make_unique<Stream>(std::move(packed));
  STINT_RETURN_IF_ERROR(stream->Init());
  return std::unique_ptr<ByteStream>(std::move(stream));
}

}  // namespace

Result<std::unique_ptr<ByteStream>> GzipContent(
    std::unique_ptr<ByteStream> packed) {
  return ContentOf<GzipStream>(std::move(packed));
}

Result<std::unique_ptr<ByteStream>> XzContent(
    std::unique_ptr<ByteStream> packed) {
  return ContentOf<XzStream>(std::move(packed));
}

}  // namespace stint
