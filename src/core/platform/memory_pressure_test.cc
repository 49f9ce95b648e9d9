#include "core/platform/memory_pressure.h"

#include <gtest/gtest.h>

#include "core/platform/file.h"
#include "core/platform/temporary_folder.h"

namespace stint {
namespace {

class MemoryPressureTest : public testing::Test {
 protected:
  void Write(const std::string& name, const std::string& text) {
    const std::string path = JoinPath(folder_.path(), name);
    ASSERT_TRUE(MakeDirectories(DirectoryOf(path)).ok());
    ASSERT_TRUE(WriteFileAtomically(path, text).ok());
  }
  void Stalls(const std::string& percent) {
    Write("proc/pressure/memory", "some avg10=" + percent +
                                      " avg60=0.00 avg300=0.00 total=1\n"
                                      "full avg10=0.00 avg60=0.00\n");
  }
  TemporaryFolder folder_ = TemporaryFolder::Make().value();
};

TEST_F(MemoryPressureTest, NothingIsReportedNothingRises) {
  MemoryPressure pressure(folder_.path());
  EXPECT_FALSE(pressure.Rose(990));
}

TEST_F(MemoryPressureTest, StallsCountWhenTheyBegin) {
  Stalls("0.00");
  MemoryPressure pressure(folder_.path());
  EXPECT_FALSE(pressure.Rose(990));
  Stalls("35.10");
  EXPECT_TRUE(pressure.Rose(990));
  EXPECT_FALSE(pressure.Rose(990));
  Stalls("1.00");
  EXPECT_FALSE(pressure.Rose(990));
  Stalls("12.00");
  EXPECT_TRUE(pressure.Rose(990));
}

TEST_F(MemoryPressureTest, LimitsOfACgroupOfVersionTwo) {
  Write("proc/self/cgroup", "0::/user/app\n");
  Write("sys/fs/cgroup/user/app/memory.events",
        "low 0\nhigh 2\nmax 5\noom 0\n");
  Write("sys/fs/cgroup/user/app/memory.max", "1000\n");
  MemoryPressure pressure(folder_.path());
  EXPECT_FALSE(pressure.Rose(990));
  Write("sys/fs/cgroup/user/app/memory.events",
        "low 0\nhigh 2\nmax 6\noom 0\n");
  EXPECT_TRUE(pressure.Rose(990));
  EXPECT_FALSE(pressure.Rose(990));
}

TEST_F(MemoryPressureTest, LimitsOfACgroupOfVersionOne) {
  Write("proc/self/cgroup", "5:cpu:/x\n4:memory:/app\n");
  Write("sys/fs/cgroup/memory/app/memory.failcnt", "7\n");
  Write("sys/fs/cgroup/memory/app/memory.limit_in_bytes", "1000\n");
  MemoryPressure pressure(folder_.path());
  EXPECT_FALSE(pressure.Rose(990));
  Write("sys/fs/cgroup/memory/app/memory.failcnt", "9\n");
  EXPECT_TRUE(pressure.Rose(990));
  // Files filled the rest.
  Write("sys/fs/cgroup/memory/app/memory.failcnt", "12\n");
  EXPECT_FALSE(pressure.Rose(500));
}

}  // namespace
}  // namespace stint
