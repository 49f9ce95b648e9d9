#include "core/platform/thread_pool.h"

#include <algorithm>

#include "core/base/checked_math.h"
#include "core/platform/cpu_info.h"

namespace stint {
namespace {

inline void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  asm volatile("yield");
#endif
}

// About 1 ms of spinning, longer than one thread waits for another within a
// layer: a thread that yields on a busy machine loses its CPU for milliseconds
// (CIFAR ResNet-18, 2 threads beside compilers: 5.0 ms instead of 7.9). With
// more threads than CPUs the other one probably waits for ours: about 20 us.
constexpr int kSpinsBeforeYield = 60000;
constexpr int kSpinsWithoutCpu = 2000;

int SpinsBeforeYield(int threads) {
  static const int cpus = AvailableCpus();
  return threads <= cpus ? kSpinsBeforeYield : kSpinsWithoutCpu;
}

// About 50 us, twice what waking up takes: runs that follow one another at once
// find the workers awake.
constexpr int kSpinsAfterRun = 1000;

template <typename Condition>
void SpinUntil(int threads, Condition done) {
  const int most = SpinsBeforeYield(threads);
  for (int spins = 0; !done(); ++spins) {
    if (spins < most) {
      Pause();
    } else {
      std::this_thread::yield();
    }
  }
}

}  // namespace

ThreadPool::ThreadPool(int threads)
    : tickets_(static_cast<size_t>(std::max(0, threads - 1))) {
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

uint64_t ThreadPool::AwaitJob(uint64_t last) {
  uint64_t job = last;
  const auto arrived = [&] {
    job = job_.load(std::memory_order_acquire);
    return job != last;
  };
  // Workers are still being added to `workers_` while the first begin.
  SpinUntil(static_cast<int>(tickets_.size()) + 1, [&] {
    return arrived() || !running_.load(std::memory_order_acquire);
  });
  for (int spins = 0; spins < kSpinsAfterRun && job == last; ++spins) {
    Pause();
    arrived();
  }
  return job;
}

void ThreadPool::WorkerLoop(int part) {
  Ticket& ticket = tickets_[static_cast<size_t>(part - 1)];
  uint64_t seen = 0;
  for (;;) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      wake_.wait(lock, [&] {
        return stop_ || running_.load(std::memory_order_acquire) ||
               job_.load(std::memory_order_acquire) != seen;
      });
      if (stop_) return;
    }
    for (;;) {
      const uint64_t job = AwaitJob(seen);
      if (job == seen) break;
      seen = job;
      // Taken: the caller waits for this part, so the body lives.
      if (ticket.Take(job)) {
        (*body_)(part);
        ticket.Finish(job);
      }
    }
  }
}

void ThreadPool::ParallelParts(FunctionRef<void(int)> body) {
  if (workers_.empty()) {
    body(0);
    return;
  }
  body_ = &body;
  const uint64_t job = job_.load(std::memory_order_relaxed) + 1;
  if (running_.load(std::memory_order_relaxed)) {
    job_.store(job, std::memory_order_release);
  } else {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      job_.store(job, std::memory_order_release);
    }
    wake_.notify_all();
  }
  body(0);
  for (size_t i = tickets_.size(); i-- > 0;) {
    Ticket& ticket = tickets_[i];
    if (ticket.Free(job) && ticket.Take(job)) {
      body(static_cast<int>(i) + 1);
      ticket.Finish(job);
    }
  }
  for (const Ticket& ticket : tickets_) {
    SpinUntil(threads(), [&] { return ticket.Finished(job); });
  }
}

void ThreadPool::ParallelTurns(int64_t n, int64_t step,
                               FunctionRef<void(int, int64_t, int64_t)> body) {
  std::atomic<int64_t> next{0};
  ParallelParts([&](int part) {
    int64_t begin;
    while ((begin = next.fetch_add(step, std::memory_order_relaxed)) < n) {
      body(part, begin, std::min(begin + step, n));
    }
  });
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
