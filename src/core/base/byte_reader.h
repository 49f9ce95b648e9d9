#pragma once
// The way back from ByteWriter. Reads past the end give zeros and make ok()
// false, so that a parser may check once per object.

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace stint {

static_assert(std::endian::native == std::endian::little);

class ByteReader {
 public:
  explicit ByteReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  size_t position() const { return position_; }
  bool AtEnd() const { return position_ == bytes_.size(); }

  template <typename T>
  T Get() {
    static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>);
    T value{};
    if (Has(sizeof(T))) {
      std::memcpy(&value, bytes_.data() + position_, sizeof(T));
      position_ += sizeof(T);
    }
    return value;
  }
  // A count of things that take at least `least` bytes each, so that a damaged
  // one cannot ask for more memory than the input has bytes.
  size_t GetCount(size_t least = 1) {
    const size_t count = Get<uint32_t>();
    return Has(count * least) ? count : 0;
  }
  std::string GetText() { return std::string(GetTextView()); }
  // The same without a copy: a part of the input.
  std::string_view GetTextView() {
    const size_t size = GetCount();
    const std::string_view text(
        reinterpret_cast<const char*>(bytes_.data()) + position_, size);
    position_ += size;
    return text;
  }
  // For what is out of range.
  void Fail() { ok_ = false; }

 private:
  bool Has(size_t size) {
    ok_ = ok_ && size <= bytes_.size() - position_;
    return ok_;
  }

  std::span<const uint8_t> bytes_;
  size_t position_ = 0;
  bool ok_ = true;
};

}  // namespace stint
