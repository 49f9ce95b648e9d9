#include "core/platform/direct_file.h"

#include <gtest/gtest.h>

#include "core/platform/file.h"
#include "core/platform/temporary_folder.h"

namespace stint {
namespace {

constexpr int64_t kPage = 4096;

class DirectFileTest : public testing::Test {
 protected:
  DirectFileTest() {
    std::string content;
    for (char c : {'a', 'b', 'c'}) content.append(kPage, c);
    EXPECT_TRUE(WriteFileAtomically(path_, content).ok());
  }
  TemporaryFolder folder_ = TemporaryFolder::Make().value();
  std::string path_ = JoinPath(folder_.path(), "file");
  alignas(kPage) uint8_t buffer_[2 * kPage] = {};
};

TEST_F(DirectFileTest, ReadsAtAnOffset) {
  const auto file = DirectFile::Open(path_);
  ASSERT_TRUE(file.ok()) << file.status().message();
  const Status status = file->Read(kPage, buffer_);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(buffer_[0], 'b');
  EXPECT_EQ(buffer_[kPage - 1], 'b');
  EXPECT_EQ(buffer_[kPage], 'c');
}

TEST_F(DirectFileTest, ReportsOffsetAtTheEndOfTheFile) {
  const auto file = DirectFile::Open(path_);
  ASSERT_TRUE(file.ok());
  const Status status = file->Read(2 * kPage, buffer_);
  EXPECT_EQ(status.code(), StatusCode::kIo);
  EXPECT_NE(status.message().find("12288"), std::string::npos)
      << status.message();
}

TEST_F(DirectFileTest, NamesAFileThatDoesNotExist) {
  const auto file = DirectFile::Open(path_ + ".no");
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.status().code(), StatusCode::kNotFound);
  EXPECT_NE(file.status().message().find(path_), std::string::npos);
}

TEST_F(DirectFileTest, RemovedFilesAreGoneAndMissingOnesNamed) {
  EXPECT_TRUE(RemoveFile(path_).ok());
  EXPECT_FALSE(FileExists(path_));
  EXPECT_EQ(RemoveFile(path_).code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace stint
