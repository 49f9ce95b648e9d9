#include "core/platform/thread_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>

#include "core/platform/clock.h"
#include "core/platform/file.h"

namespace stint {
namespace {

// Long enough for a busy machine to get around to anything; only a failing
// test waits that long.
constexpr double kPatienceMs = 20e3;

// Threads of this process, as the kernel counts them.
size_t ThreadsAlive() {
  return ListDirectory("/proc/self/task").value().size();
}

TEST(ThreadPool, OfOneStartsNoThread) {
  const size_t before = ThreadsAlive();
  ThreadPool pool(1);
  EXPECT_EQ(pool.threads(), 1);
  EXPECT_EQ(ThreadsAlive(), before);
}

TEST(ThreadPool, JoinsItsThreadsWhenItEnds) {
  // The first threads of a process may bring one of a sanitizer with them.
  std::thread([] {}).join();
  const size_t before = ThreadsAlive();
  { ThreadPool pool(4); }
  // A joined thread stays listed until the kernel has buried it.
  const int64_t start_ns = NowNs();
  while (ThreadsAlive() > before && MsSince(start_ns) < kPatienceMs) {
    std::this_thread::yield();
  }
  EXPECT_LE(ThreadsAlive(), before);
}

TEST(ThreadPool, VisitsEveryIndexOnce) {
  for (int threads : {1, 2, 3, 5}) {
    ThreadPool pool(threads);
    for (int64_t n : {0, 1, 2, 4, 7, 64, 1001}) {
      for (int64_t grain : {0, 1, 3, 100, 5000}) {
        std::vector<std::atomic<int>> visits(static_cast<size_t>(n));
        pool.ParallelFor(n, grain, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) ++visits[i];
        });
        for (const auto& count : visits) EXPECT_EQ(count, 1);
      }
    }
  }
}

TEST(ThreadPool, KeepsRangesAtLeastAGrainLong) {
  ThreadPool pool(4);
  std::mutex mutex;
  std::vector<int64_t> lengths;
  pool.ParallelFor(100, 40, [&](int64_t begin, int64_t end) {
    const std::lock_guard<std::mutex> lock(mutex);
    lengths.push_back(end - begin);
  });
  for (int64_t length : lengths) EXPECT_GE(length, 40);
  EXPECT_EQ(std::accumulate(lengths.begin(), lengths.end(), int64_t{0}), 100);
}

TEST(ThreadPool, RunsPartsSideBySide) {
  ThreadPool pool(3);
  std::mutex mutex;
  std::condition_variable all_here;
  std::multiset<int> parts;
  std::set<std::thread::id> ids;
  // No part ends before all have begun.
  pool.ParallelParts([&](int part) {
    std::unique_lock<std::mutex> lock(mutex);
    parts.insert(part);
    ids.insert(std::this_thread::get_id());
    all_here.notify_all();
    all_here.wait_for(lock, std::chrono::seconds(10),
                      [&] { return parts.size() == 3; });
  });
  EXPECT_EQ(parts, (std::multiset<int>{0, 1, 2}));
  EXPECT_EQ(ids.size(), 3u);
}

TEST(ThreadPool, RunsEachPartOnceWhoeverTakesIt) {
  ThreadPool pool(3);
  const ThreadPool::Run run(&pool);
  for (int round = 0; round < 2000; ++round) {
    std::atomic<int> times[3] = {};
    pool.ParallelParts([&](int part) { ++times[part]; });
    for (const auto& count : times) ASSERT_EQ(count, 1) << round;
  }
}

TEST(ThreadPool, SurvivesManyJobsInsideAndOutsideOfRuns) {
  ThreadPool pool(3);
  int64_t total = 0;
  for (int round = 0; round < 200; ++round) {
    std::atomic<int64_t> sum{0};
    const auto add = [&](int64_t begin, int64_t end) { sum += end - begin; };
    {
      const ThreadPool::Run run(&pool);
      for (int job = 0; job < 20; ++job) pool.ParallelFor(50, 1, add);
    }
    pool.ParallelFor(50, 1, add);
    total += sum;
  }
  EXPECT_EQ(total, 200 * 21 * 50);
}

TEST(ThreadPool, MakesWritesOfOneJobVisibleToTheNext) {
  ThreadPool pool(4);
  std::vector<int64_t> values(1000, 0);
  const ThreadPool::Run run(&pool);
  for (int round = 0; round < 100; ++round) {
    // A different split every time, so elements change threads.
    pool.ParallelFor(1000, 1 + round * 7 % 400, [&](int64_t b, int64_t e) {
      for (int64_t i = b; i < e; ++i) ++values[i];
    });
  }
  EXPECT_EQ(values, std::vector<int64_t>(1000, 100));
}

TEST(ThreadPool, TurnsCoverARangeOnceWhoeverIsSlow) {
  for (int threads : {1, 3}) {
    ThreadPool pool(threads);
    std::vector<std::atomic<int>> visits(103);
    std::vector<std::atomic<int>> users(static_cast<size_t>(threads));
    pool.ParallelTurns(103, 10, [&](int part, int64_t begin, int64_t end) {
      EXPECT_EQ(++users[static_cast<size_t>(part)], 1);
      EXPECT_LE(end - begin, 10);
      if (begin == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      for (int64_t i = begin; i < end; ++i) ++visits[static_cast<size_t>(i)];
      --users[static_cast<size_t>(part)];
    });
    for (const auto& count : visits) EXPECT_EQ(count, 1);
  }
}

TEST(ThreadPool, SleepsBetweenRuns) {
  ThreadPool pool(4);
  {
    const ThreadPool::Run run(&pool);
    pool.ParallelParts([](int) {});
  }
  // Workers that lost their core notice the end of the run late, so any quiet
  // moment will do; workers that spin have none.
  const int64_t start_ns = NowNs();
  double cpu_ms = 0;
  do {
    const double before_ms = ProcessCpuMs();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    cpu_ms = ProcessCpuMs() - before_ms;
  } while (cpu_ms >= 20 && MsSince(start_ns) < kPatienceMs);
  EXPECT_LT(cpu_ms, 20);
}

// The least CPU time that the process takes in 200 ms, of several looks: a
// worker that has lost its core notices a change late.
double LeastCpuMs() {
  const int64_t start_ns = NowNs();
  double least_ms = 1e9;
  do {
    const double before_ms = ProcessCpuMs();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    least_ms = std::min(least_ms, ProcessCpuMs() - before_ms);
  } while (least_ms >= 20 && MsSince(start_ns) < kPatienceMs);
  return least_ms;
}

TEST(ThreadPool, SleepsWithinARunWhileItRests) {
  ThreadPool pool(3);
  const ThreadPool::Run run(&pool);
  std::atomic<int> parts{0};
  for (int i = 0; i < 3; ++i) {
    pool.ParallelParts([&](int) { ++parts; });
    {
      const ThreadPool::Rest rest(&pool);
      EXPECT_LT(LeastCpuMs(), 20);
      pool.ParallelParts([&](int) { ++parts; });
    }
    pool.ParallelParts([&](int) { ++parts; });
  }
  EXPECT_EQ(parts, 27);
}

TEST(ThreadPool, StaysAsleepWhenItRestsOutsideOfARun) {
  ThreadPool pool(3);
  { const ThreadPool::Rest rest(&pool); }
  EXPECT_LT(LeastCpuMs(), 20);
}

}  // namespace
}  // namespace stint
