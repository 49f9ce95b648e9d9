#pragma once
// Numbers and texts as little-endian bytes.

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace stint {

static_assert(std::endian::native == std::endian::little);

class ByteWriter {
 public:
  template <typename T>
  void Put(T value) {
    static_assert(std::is_arithmetic_v<T>);
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    bytes_.append(bytes, sizeof(T));
  }
  void PutCount(size_t count) { Put(static_cast<uint32_t>(count)); }
  void PutText(std::string_view text) {
    PutCount(text.size());
    bytes_.append(text);
  }
  // Zeros up to a multiple of `alignment`.
  void PadTo(size_t alignment) {
    bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment);
  }

  const std::string& bytes() const { return bytes_; }
  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

}  // namespace stint
