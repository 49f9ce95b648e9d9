#include "core/base/xxh3/xxh3.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace stint {

uint64_t Xxh3Avx2(const void* data, size_t bytes) {
  return XXH3_64bits(data, bytes);
}

}  // namespace stint
