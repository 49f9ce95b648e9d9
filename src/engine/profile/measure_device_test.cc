#include "engine/profile/measure_device.h"

#include <gtest/gtest.h>

#include "core/platform/file.h"
#include "core/platform/temporary_folder.h"
#include "core/platform/thread_pool.h"

namespace stint {
namespace {

TEST(MeasureArithmetic, GivesEveryFigureForOneAndAllThreads) {
  ThreadPool pool(2);
  DeviceProfile profile;
  MeasureArithmetic(DetectIsa(), &pool, &profile);
  for (const CoreAndAll& figure :
       {profile.fp32_gflops, profile.int8_gops, profile.bf16_gflops}) {
    EXPECT_GT(figure.core, 0);
    EXPECT_GT(figure.all, 0);
  }
}

TEST(MeasureStorage, MeasuresEverySizeAndLeavesNoFile) {
  const TemporaryFolder folder = TemporaryFolder::Make().value();
  DeviceProfile profile;
  const Status status = MeasureStorage(folder.path(), &profile);
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_EQ(profile.io.size(), 12u);
  EXPECT_EQ(profile.io.front().request_bytes, 4096);
  EXPECT_EQ(profile.io.back().request_bytes, 8 << 20);
  for (const IoPoint& point : profile.io) {
    EXPECT_GT(point.mbytes_per_second, 0);
    EXPECT_GT(point.latency_us, 0);
    EXPECT_GT(point.queued_us, 0);
  }
  EXPECT_NE(profile.io_note.find("cache"), std::string::npos);
  EXPECT_TRUE(ListDirectory(folder.path())->empty());
}

TEST(MeasureStorage, SaysWhyItCouldNot) {
  const TemporaryFolder folder = TemporaryFolder::Make().value();
  const std::string file = JoinPath(folder.path(), "file");
  ASSERT_TRUE(WriteFileAtomically(file, "x").ok());
  DeviceProfile profile;
  const Status status = MeasureStorage(JoinPath(file, "no"), &profile);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find(file), std::string::npos);
  EXPECT_TRUE(profile.io.empty());
}

}  // namespace
}  // namespace stint
