#include "core/io/block_reader.h"

#include <algorithm>
#include <string>

#include "core/platform/clock.h"

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

Result<std::optional<BlockDone>> WaitAwake(BlockReader* reader,
                                           int64_t timeout_ns) {
  if (!reader->reads_without_cpu()) return reader->Wait(timeout_ns);
  const int64_t begin = NowNs();
  const int64_t awake = std::min(timeout_ns, kAwakeNs);
  while (NowNs() - begin < awake) {
    auto done = reader->Wait(0);
    if (!done.ok() || done->has_value()) return done;
  }
  return reader->Wait(timeout_ns - awake);
}

}  // namespace stint
