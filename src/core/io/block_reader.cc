#include "core/io/block_reader.h"

#include <string>

namespace stint {

Status CheckAligned(const BlockRead& read) {
  const auto aligned = [](uint64_t x) { return x % kBlockBytes == 0; };
  if (read.offset >= 0 && aligned(static_cast<uint64_t>(read.offset)) &&
      !read.to.empty() && aligned(read.to.size()) &&
      aligned(reinterpret_cast<uintptr_t>(read.to.data()))) {
    return OkStatus();
  }
  return InvalidArgument("read of " + std::to_string(read.to.size()) +
                         " bytes at " + std::to_string(read.offset) +
                         " is not aligned to " + std::to_string(kBlockBytes));
}

}  // namespace stint
