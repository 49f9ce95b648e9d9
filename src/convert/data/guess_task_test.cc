#include "convert/data/guess_task.h"

#include <gtest/gtest.h>

namespace stint {
namespace {

TEST(GuessTask, GoesByTheName) {
  EXPECT_EQ(GuessTask("data/test_batch.bin.xz"), "cifar10");
  EXPECT_EQ(GuessTask("test_batch.bin"), "cifar10");
  EXPECT_EQ(GuessTask("val.tar"), "imagefolder");
  EXPECT_EQ(GuessTask(testing::TempDir()), "imagefolder");
  EXPECT_EQ(GuessTask("lines.txt"), "text");
  EXPECT_EQ(GuessTask("lines.txt.gz"), "text");
}

TEST(GuessTask, TablesAreOfNoCertainTask) {
  EXPECT_EQ(GuessTask("dev.tsv.gz"), "");
  EXPECT_EQ(GuessTask("no/such/folder"), "");
}

}  // namespace
}  // namespace stint
