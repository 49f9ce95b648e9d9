#include "engine/device/read_times.h"

#include <gtest/gtest.h>

namespace stint {
namespace {

DeviceProfile Measured() {
  DeviceProfile profile;
  profile.io_depth = 4;
  profile.io = {{4096, 100, 40, 10}, {1 << 20, 4000, 262, 200}};
  return profile;
}

TEST(ReadTimes, AreThoseMeasuredWithoutARate) {
  const ReadTimes times = ReadTimesOf(Measured());
  ASSERT_EQ(times.alone.size(), 2u);
  ASSERT_EQ(times.queued.size(), 2u);
  EXPECT_EQ(times.alone[0].ns, 40000);
  EXPECT_EQ(times.queued[0].ns, 10000);
  EXPECT_EQ(times.alone[1].bytes, 1 << 20);
  EXPECT_EQ(times.queued[1].ns, 200000);
}

TEST(ReadTimes, OfASlowRateAreThatRate) {
  // 1 ms, and a MiB at 100 MB/s is 10.48576 ms.
  const StorageRate rate{100e6, 1000000};
  const ReadTimes times = ReadTimesOf(Measured(), rate);
  EXPECT_DOUBLE_EQ(times.alone[1].ns, 11485760);
  // The latency passes while others are transferred.
  EXPECT_DOUBLE_EQ(times.queued[1].ns, 10485760);
  // Four at once are too few to hide it for small reads.
  EXPECT_DOUBLE_EQ(times.queued[0].ns, (1e6 + 40960) / 4);
}

TEST(ReadTimes, AreNeverBelowThoseOfTheMachine) {
  const ReadTimes times = ReadTimesOf(Measured(), {100e9, 0});
  EXPECT_EQ(times.alone[0].ns, 40000);
  EXPECT_EQ(times.queued[1].ns, 200000);
}

TEST(ReadTimes, AreAssumedUntilMeasured) {
  const ReadTimes times = ReadTimesOf({});
  ASSERT_FALSE(times.alone.empty());
  EXPECT_EQ(times.alone.front().bytes, 4096);
  EXPECT_DOUBLE_EQ(times.alone.back().ns, 1e5 + (8 << 20) / 0.45);
  const ReadTimes imitated = ReadTimesOf({}, {20e6, 0});
  EXPECT_DOUBLE_EQ(imitated.queued.front().ns, 4096 * 50.0);
}

}  // namespace
}  // namespace stint
