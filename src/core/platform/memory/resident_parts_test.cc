#include "core/platform/memory/resident_parts.h"

#include <gtest/gtest.h>

#include <cstring>

#include "core/platform/file.h"
#include "core/platform/memory/memory.h"
#include "core/platform/memory/reserved_pages.h"
#include "core/platform/temporary_folder.h"
#include "core/testing/foreign_heap.h"

namespace stint {
namespace {

constexpr int64_t kBytes = 4 << 20;
// What reading the parts takes itself.
constexpr int64_t kNoise = 256 << 10;

TEST(ResidentParts, AddUpToTheResidentMemory) {
  if (kForeignHeap)
    GTEST_SKIP() << "mappings of the sanitizer change all the time";
  ASSERT_TRUE(ReadResidentParts().ok());
  const auto parts = ReadResidentParts();
  ASSERT_TRUE(parts.ok());
  EXPECT_NEAR(static_cast<double>(parts->total()),
              static_cast<double>(ResidentBytes()), kNoise);
  EXPECT_GT(parts->program, 0);
  EXPECT_GT(parts->variables, 0);
  EXPECT_GT(parts->stacks, 0);
}

TEST(ResidentParts, TouchedPagesAreBlocks) {
  const auto before = ReadResidentParts();
  auto pages = ReservedPages::Reserve(2 * kBytes);
  ASSERT_TRUE(pages.ok());
  std::memset(pages->data(), 1, kBytes);
  const auto after = ReadResidentParts();
  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_NEAR(static_cast<double>(after->blocks - before->blocks), kBytes,
              kNoise);
}

TEST(ResidentParts, ReadPagesOfAMappedFileAreFiles) {
  const TemporaryFolder folder = TemporaryFolder::Make().value();
  const std::string path = JoinPath(folder.path(), "data");
  ASSERT_TRUE(WriteFileAtomically(path, std::string(kBytes, 'x')).ok());
  const auto file = MappedFile::Open(path);
  ASSERT_TRUE(file.ok());
  const auto before = ReadResidentParts();
  int64_t sum = 0;
  for (const uint8_t byte : (*file)->bytes()) sum += byte;
  const auto after = ReadResidentParts();
  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_EQ(sum, kBytes * 'x');
  EXPECT_EQ(after->files - before->files, kBytes);
}

}  // namespace
}  // namespace stint
