#include "core/base/checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/base/xxh3/xxh3.h"

namespace stint {
namespace {

using Hash = uint64_t (*)(const void*, size_t);

uint64_t Xxh3(const void* data, size_t bytes) {
  return XXH3_64bits(data, bytes);
}

Hash PickHash() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return Xxh3Avx2;
#endif
  return Xxh3;
}

}  // namespace

uint64_t Checksum(std::span<const uint8_t> bytes) {
  static const Hash hash = PickHash();
  return hash(bytes.data(), bytes.size());
}

}  // namespace stint
