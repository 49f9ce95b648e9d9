#include "lab/tune/trial_database.h"

#include <gtest/gtest.h>

#include "core/platform/file.h"
#include "core/platform/temporary_folder.h"

namespace stint {
namespace {

class TrialDatabaseTest : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = TemporaryFolder::Make();
    ASSERT_TRUE(folder.ok());
    folder_.emplace(*std::move(folder));
    path_ = TrialFile(folder_->path());
  }
  std::optional<TemporaryFolder> folder_;
  std::string path_;
};

TEST_F(TrialDatabaseTest, KeepsTrialsByMachineAndTheLastTimeOfEach) {
  {
    auto database = TrialDatabase::Open(path_, "machine a");
    ASSERT_TRUE(database.ok()) << database.status().message();
    ASSERT_TRUE(database
                    ->Add({{"l1", {"direct", {.chunk = 2}}, 10},
                           {"l2", {"im2col", {}}, 20}})
                    .ok());
    ASSERT_TRUE(database->Add({{"l1", {"direct", {.chunk = 2}}, 9}}).ok());
  }
  auto again = TrialDatabase::Open(path_, "machine a");
  ASSERT_TRUE(again.ok());
  const auto trials = again->All();
  ASSERT_TRUE(trials.ok());
  ASSERT_EQ(trials->size(), 2u);
  EXPECT_EQ((*trials)[0].layer, "l2");
  EXPECT_EQ((*trials)[1].us, 9);
  EXPECT_EQ((*trials)[1].plan.schedule.chunk, 2);
  auto other = TrialDatabase::Open(path_, "machine b");
  ASSERT_TRUE(other.ok());
  EXPECT_TRUE(other->All()->empty());
}

TEST_F(TrialDatabaseTest, RefusesAFileThatIsNoneAndLeavesIt) {
  const std::string junk(4096, 'x');
  ASSERT_TRUE(WriteFileAtomically(path_, junk).ok());
  const auto database = TrialDatabase::Open(path_, "m");
  EXPECT_EQ(database.status().code(), StatusCode::kDamaged);
  EXPECT_NE(database.status().message().find(path_), std::string::npos);
  EXPECT_NE(database.status().message().find("--forget"), std::string::npos);
  EXPECT_EQ(*ReadFile(path_), junk);
}

TEST_F(TrialDatabaseTest, NoticesATruncatedFile) {
  {
    auto database = TrialDatabase::Open(path_, "m");
    ASSERT_TRUE(database.ok());
    std::vector<Trial> many;
    for (int i = 0; i < 500; ++i) {
      many.push_back({"layer " + std::to_string(i), {"direct", {}}, 1.0 + i});
    }
    ASSERT_TRUE(database->Add(many).ok());
  }
  const std::string whole = *ReadFile(path_);
  ASSERT_GT(whole.size(), 8192u);
  ASSERT_TRUE(WriteFileAtomically(path_, whole.substr(0, 8192)).ok());
  const auto cut = TrialDatabase::Open(path_, "m");
  EXPECT_EQ(cut.status().code(), StatusCode::kDamaged);
}

}  // namespace
}  // namespace stint
