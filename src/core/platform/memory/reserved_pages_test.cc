#include "core/platform/memory/reserved_pages.h"

#include <gtest/gtest.h>

#include <cstring>

#include "core/platform/memory/memory.h"

namespace stint {
namespace {

TEST(ReservedPages, TakeMemoryOnlyWhileSomethingIsInThem) {
  constexpr int64_t kBytes = 64 << 20;
  auto pages = ReservedPages::Reserve(int64_t{1} << 34);
  ASSERT_TRUE(pages.ok()) << pages.status().message();
  const int64_t before = ResidentBytes();
  std::memset(pages->data(), 1, kBytes);
  EXPECT_GT(ResidentBytes() - before, kBytes / 2);
  pages->Discard(0, kBytes);
  EXPECT_LT(ResidentBytes() - before, kBytes / 2);
  EXPECT_EQ(pages->data()[5], 0);
}

TEST(ReservedPages, PartsOfAPageStay) {
  auto pages = ReservedPages::Reserve(3 * 4096);
  ASSERT_TRUE(pages.ok());
  std::memset(pages->data(), 1, 3 * 4096);
  pages->Discard(100, 2 * 4096);
  EXPECT_EQ(pages->data()[4095], 1);
  EXPECT_EQ(pages->data()[4096], 0);
  EXPECT_EQ(pages->data()[8192], 1);
}

}  // namespace
}  // namespace stint
