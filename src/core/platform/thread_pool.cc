#include "core/platform/thread_pool.h"

#include <algorithm>

#include "core/base/checked_math.h"

namespace stint {
namespace {

inline void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  asm volatile("yield");
#endif
}

// About 20 us of spinning; past that another process probably has our CPU, and
// yielding lets it finish sooner.
constexpr int kSpinsBeforeYield = 2000;

template <typename Condition>
void SpinUntil(Condition done) {
  for (int spins = 0; !done(); ++spins) {
    if (spins < kSpinsBeforeYield) {
      Pause();
    } else {
      std::this_thread::yield();
    }
  }
}

}  // namespace

ThreadPool::ThreadPool(int threads) {
  for (int part = 1; part < threads; ++part) {
    workers_.emplace_back([this, part] { WorkerLoop(part); });
  }
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::BeginRun() {
  if (workers_.empty()) return;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    running_.store(true, std::memory_order_release);
  }
  wake_.notify_all();
}

void ThreadPool::EndRun() { running_.store(false, std::memory_order_release); }

void ThreadPool::WorkerLoop(int part) {
  uint64_t seen = 0;
  for (;;) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      wake_.wait(lock, [&] {
        return stop_ || running_.load(std::memory_order_acquire) ||
               generation_.load(std::memory_order_acquire) != seen;
      });
      if (stop_) return;
    }
    for (;;) {
      SpinUntil([&] {
        return generation_.load(std::memory_order_acquire) != seen ||
               !running_.load(std::memory_order_acquire);
      });
      if (generation_.load(std::memory_order_acquire) == seen) break;
      ++seen;
      (*job_)(part);
      pending_.fetch_sub(1, std::memory_order_release);
    }
  }
}

void ThreadPool::ParallelParts(FunctionRef<void(int)> body) {
  if (workers_.empty()) {
    body(0);
    return;
  }
  job_ = &body;
  pending_.store(static_cast<int>(workers_.size()), std::memory_order_relaxed);
  if (running_.load(std::memory_order_relaxed)) {
    generation_.fetch_add(1, std::memory_order_release);
  } else {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      generation_.fetch_add(1, std::memory_order_release);
    }
    wake_.notify_all();
  }
  body(0);
  SpinUntil([&] { return pending_.load(std::memory_order_acquire) == 0; });
}

void ThreadPool::ParallelFor(int64_t n, int64_t grain,
                             FunctionRef<void(int64_t, int64_t)> body) {
  if (n <= 0) return;
  const int64_t parts = std::min<int64_t>(
      threads(), std::max<int64_t>(1, n / std::max<int64_t>(1, grain)));
  if (parts == 1) {
    body(0, n);
    return;
  }
  ParallelParts([&](int part) {
    const int64_t begin = n * part / parts;
    const int64_t end = n * (part + 1) / parts;
    if (part < parts && begin < end) body(begin, end);
  });
}

}  // namespace stint
