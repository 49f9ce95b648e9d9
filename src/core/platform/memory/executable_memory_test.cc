#include "core/platform/memory/executable_memory.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <sstream>
#include <string>

namespace stint {
namespace {

#if defined(__x86_64__)
// mov eax, 42; ret
constexpr std::array<uint8_t, 6> kCode = {0xb8, 42, 0, 0, 0, 0xc3};
#else
// mov w0, #42; ret
constexpr std::array<uint8_t, 8> kCode = {0x40, 0x05, 0x80, 0x52,
                                          0xc0, 0x03, 0x5f, 0xd6};
#endif

// "r-xp", as the system sees the page.
std::string RightsOf(const uint8_t* address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    uintptr_t begin = 0;
    uintptr_t end = 0;
    char dash = 0;
    std::string rights;
    words >> std::hex >> begin >> dash >> end >> rights;
    const auto at = reinterpret_cast<uintptr_t>(address);
    if (begin <= at && at < end) return rights;
  }
  return "";
}

TEST(ExecutableMemory, RunsWhatItWasGivenAndIsNotWritable) {
  auto memory = ExecutableMemory::Make(kCode);
  ASSERT_TRUE(memory.ok()) << memory.status().message();
  EXPECT_EQ(RightsOf(memory->data()), "r-xp");
  using Answer = int (*)();
  EXPECT_EQ(
      reinterpret_cast<Answer>(reinterpret_cast<uintptr_t>(memory->data()))(),
      42);
}

TEST(ExecutableMemory, MovesWithoutLosingThePages) {
  auto memory = ExecutableMemory::Make(kCode);
  ASSERT_TRUE(memory.ok());
  const uint8_t* data = memory->data();
  ExecutableMemory other;
  other = std::move(*memory);
  EXPECT_EQ(other.data(), data);
  EXPECT_EQ(RightsOf(data), "r-xp");
}

}  // namespace
}  // namespace stint
