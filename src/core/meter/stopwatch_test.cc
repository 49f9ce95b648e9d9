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
  std::thread([&watch] {
    while (watch.cpu_ms() < 5 && watch.wall_ms() < 20e3) {
    }
  }).join();
  EXPECT_GE(watch.cpu_ms(), 5);
}

TEST(Stopwatch, RestartsAtZero) {
  Stopwatch watch;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const int64_t before_ns = NowNs();
  watch.Restart();
  EXPECT_LE(watch.wall_ms(), MsSince(before_ns));
}

}  // namespace
}  // namespace stint
