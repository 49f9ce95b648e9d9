#include "core/base/checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace stint {

uint64_t Checksum(std::span<const uint8_t> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace stint
