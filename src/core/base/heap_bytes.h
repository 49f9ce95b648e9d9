#pragma once
// How much of the heap containers take.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace stint {

// A block of the heap, with what glibc adds to it.
constexpr int64_t BlockBytes(size_t bytes) {
  if (bytes == 0) return 0;
  return std::max<int64_t>(32, static_cast<int64_t>(bytes + 8 + 15) / 16 * 16);
}

// Without what the elements themselves refer to.
template <typename T>
int64_t HeapBytes(const std::vector<T>& elements) {
  return BlockBytes(elements.capacity() * sizeof(T));
}

inline int64_t HeapBytes(const std::string& text) {
  const bool within = text.capacity() == std::string().capacity();
  return within ? 0 : BlockBytes(text.capacity() + 1);
}

}  // namespace stint
