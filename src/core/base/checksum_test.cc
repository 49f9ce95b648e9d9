#include "core/base/checksum.h"

#include <gtest/gtest.h>

#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/base/xxh3/xxh3.h"

namespace stint {
namespace {

std::vector<uint8_t> Bytes(size_t count) {
  std::vector<uint8_t> bytes(count);
  for (size_t i = 0; i < count; ++i) {
    bytes[i] = static_cast<uint8_t>(i * 31 + i / 7);
  }
  return bytes;
}

// Lengths on both sides of every boundary of the algorithm: 16, 128, 240, and
// the blocks of 1024 of long inputs.
TEST(Checksum, IsTheSameOnEveryInstructionSet) {
  for (size_t count : {0, 1, 16, 17, 128, 129, 240, 241, 1024, 1025, 150001}) {
    const std::vector<uint8_t> bytes = Bytes(count);
    const uint64_t expected = XXH3_64bits(bytes.data(), count);
    EXPECT_EQ(Checksum(bytes), expected) << count;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
      EXPECT_EQ(Xxh3Avx2(bytes.data(), count), expected) << count;
    }
#endif
  }
}

}  // namespace
}  // namespace stint
