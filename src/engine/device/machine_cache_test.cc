#include "engine/device/machine_cache.h"

#include <gtest/gtest.h>

#include "core/platform/file.h"
#include "core/platform/temporary_folder.h"

namespace stint {
namespace {

const MachineKey kKey = {"A processor", 4, Isa::kAvx2, 2};

class MachineCacheTest : public testing::Test {
 protected:
  TemporaryFolder folder_ = TemporaryFolder::Make().value();
  MachineCache cache_{JoinPath(folder_.path(), "new"), "kind", kKey};
};

TEST_F(MachineCacheTest, GivesBackWhatWasWritten) {
  EXPECT_EQ(cache_.Read().status().code(), StatusCode::kNotFound);
  ASSERT_TRUE(cache_.Write("a 1\nb 2\n").ok());
  EXPECT_EQ(cache_.Read().value(), "a 1\nb 2\n");
  ASSERT_TRUE(cache_.Write("").ok());
  EXPECT_EQ(cache_.Read().value(), "");
}

TEST_F(MachineCacheTest, EveryPartOfTheKeyHasItsOwnFile) {
  MachineKey keys[4] = {kKey, kKey, kKey, kKey};
  keys[0].cpu = "Another";
  keys[1].cores = 5;
  keys[2].isa = Isa::kAvx512;
  keys[3].threads = 1;
  for (const MachineKey& key : keys) {
    EXPECT_NE(MachineCache(folder_.path(), "kind", key).path(),
              MachineCache(folder_.path(), "kind", kKey).path());
  }
}

TEST_F(MachineCacheTest, RefusesAFileCutOrChangedAnywhere) {
  ASSERT_TRUE(cache_.Write("a 1\n").ok());
  const std::string whole = ReadFile(cache_.path()).value();
  for (size_t i = 0; i < whole.size(); ++i) {
    ASSERT_TRUE(WriteFileAtomically(cache_.path(), whole.substr(0, i)).ok());
    EXPECT_EQ(cache_.Read().status().code(), StatusCode::kDamaged) << i;
    std::string changed = whole;
    changed[i] ^= 1;
    ASSERT_TRUE(WriteFileAtomically(cache_.path(), changed).ok());
    EXPECT_EQ(cache_.Read().status().code(), StatusCode::kDamaged) << i;
  }
}

TEST_F(MachineCacheTest, RefusesTheFileOfAnotherMachine) {
  MachineKey other = kKey;
  other.cores = 64;
  const MachineCache theirs(folder_.path(), "kind", other);
  ASSERT_TRUE(theirs.Write("a 1\n").ok());
  ASSERT_TRUE(cache_.Write("b 2\n").ok());
  ASSERT_TRUE(
      WriteFileAtomically(cache_.path(), ReadFile(theirs.path()).value()).ok());
  const auto read = cache_.Read();
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.status().message().find("another machine"), std::string::npos);
}

}  // namespace
}  // namespace stint
