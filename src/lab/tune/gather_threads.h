#pragma once
// Times of parallel work are only comparable when all threads are there at its
// beginning: on a busy machine a thread that found nothing to do for a while
// may have given its CPU to another process.

#include <atomic>

#include "core/platform/clock.h"
#include "core/platform/thread_pool.h"

namespace stint {

// Returns when every thread of the pool, which is kept awake, has arrived, or
// after a few milliseconds.
inline void GatherThreads(ThreadPool* pool) {
  constexpr double kMostMs = 5;
  std::atomic<int> arrived{0};
  const int64_t begin = NowNs();
  pool->ParallelParts([&](int) {
    arrived.fetch_add(1, std::memory_order_relaxed);
    while (arrived.load(std::memory_order_relaxed) < pool->threads() &&
           MsSince(begin) < kMostMs) {
    }
  });
}

}  // namespace stint
