#include "core/meter/stopwatch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace stint {
namespace {

TEST(Stopwatch, SleepingCostsWallTimeAndNoCpu) {
  const Stopwatch watch;
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_GE(watch.wall_ms(), 30);
  EXPECT_LT(watch.cpu_ms(), 20);
}

TEST(Stopwatch, CountsTheCpuOfOtherThreads) {
  const Stopwatch watch;
  std::thread([] {
    const int64_t start = NowNs();
    while (MsSince(start) < 20) {
    }
  }).join();
  EXPECT_GT(watch.cpu_ms(), 2);
}

TEST(Stopwatch, RestartsAtZero) {
  Stopwatch watch;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  watch.Restart();
  EXPECT_LT(watch.wall_ms(), 20);
}

}  // namespace
}  // namespace stint
