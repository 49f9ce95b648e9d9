#pragma once
// Lines of a text that is read bit by bit.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "convert/data/byte_stream.h"

namespace stint {

class LineReader {
 public:
  // Longer lines are kDamaged: what is in memory has a limit.
  static constexpr size_t kMaxLineBytes = size_t{16} << 20;
  static constexpr size_t kChunkBytes = size_t{16} << 10;

  // Reads `chunk_bytes` (> 0) at a time.
  explicit LineReader(std::unique_ptr<ByteStream> text,
                      size_t chunk_bytes = kChunkBytes)
      : text_(std::move(text)), chunk_bytes_(chunk_bytes) {}

  // The next line without its end ("\n" or "\r\n"), valid until the next call;
  // nothing after the last. A byte-order mark before the first is skipped.
  Result<std::optional<std::string_view>> Next();
  // Of the line that was returned last, from 1.
  int64_t number() const { return number_; }

 private:
  Status ReadMore();
  std::string_view Take(size_t bytes);

  std::unique_ptr<ByteStream> text_;
  size_t chunk_bytes_;
  std::string buffer_;
  size_t begin_ = 0;  // of what has not been returned, in the buffer
  int64_t number_ = 0;
  bool ended_ = false;
};

}  // namespace stint
