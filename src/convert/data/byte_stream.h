#pragma once
// Bytes that are read one after the other, so that only a few of them are in
// memory at a time.

#include <cstddef>
#include <span>
#include <string_view>

#include "stint/status.h"

namespace stint {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Fills `out` from its front and returns how many bytes came: fewer than all
  // only at the end of the stream.
  virtual Result<size_t> Read(std::span<char> out) = 0;
};

// Bytes in memory, which must outlive it.
class MemoryStream : public ByteStream {
 public:
  explicit MemoryStream(std::string_view bytes) : bytes_(bytes) {}
  Result<size_t> Read(std::span<char> out) override {
    const size_t count = bytes_.copy(out.data(), out.size());
    bytes_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view bytes_;
};

}  // namespace stint
