#include "core/platform/temporary_folder.h"

#include <gtest/gtest.h>

#include <utility>

#include "core/platform/file.h"

namespace stint {
namespace {

TEST(TemporaryFolder, DisappearsWithItsContent) {
  std::string path;
  {
    const TemporaryFolder folder = TemporaryFolder::Make().value();
    path = folder.path();
    ASSERT_TRUE(MakeDirectories(JoinPath(path, "a/b")).ok());
  }
  EXPECT_FALSE(DirectoryExists(path));
}

TEST(TemporaryFolder, MovesWithoutDisappearing) {
  TemporaryFolder first = TemporaryFolder::Make().value();
  const TemporaryFolder second = std::move(first);
  EXPECT_TRUE(DirectoryExists(second.path()));
}

}  // namespace
}  // namespace stint
