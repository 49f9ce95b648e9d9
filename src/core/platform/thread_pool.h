#pragma once
// The runtime's own threads. Inside a run workers spin for work, because waking
// a sleeping thread costs about 25 us and a spinning one 0.15 us; between runs
// they sleep and use no CPU. A part that its worker has not begun when the
// caller is through with its own is done by the caller, so neither a worker
// that still wakes up nor one that has lost its CPU holds a run up.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/function_ref.h"

namespace stint {

// Used by one caller thread at a time.
class ThreadPool {
 public:
  // `threads` >= 1 counts the caller: ThreadPool(1) starts no thread.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Splits [0, n) into at most threads() contiguous ranges of at least `grain`
  // and runs body(begin, end) on each. The split depends only on n, grain and
  // threads(), so results are reproducible. Must not be nested.
  void ParallelFor(int64_t n, int64_t grain,
                   FunctionRef<void(int64_t begin, int64_t end)> body);

  // Runs body(part) once for each part in [0, threads()), on any thread.
  void ParallelParts(FunctionRef<void(int part)> body);

  // Runs body(part, begin, end) on ranges of `step` >= 1 that together are
  // [0, n). Threads take them as they come, so one that loses its CPU for a
  // while holds nobody up; who takes a range is not known, so each must be
  // computed by itself. `part` < threads() names scratch memory that no other
  // thread uses meanwhile.
  void ParallelTurns(
      int64_t n, int64_t step,
      FunctionRef<void(int part, int64_t begin, int64_t end)> body);

  // Keeps workers spinning between calls while one lives.
  class Run {
   public:
    explicit Run(ThreadPool* pool) : pool_(pool) { pool_->BeginRun(); }
    ~Run() { pool_->EndRun(); }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

   private:
    ThreadPool* pool_;
  };

  // Lets workers sleep while one lives, inside of a run, too: for waits that
  // are long beside what waking them up takes. Jobs still reach them.
  class Rest {
   public:
    explicit Rest(ThreadPool* pool)
        : pool_(pool), awake_(pool->running_.load(std::memory_order_relaxed)) {
      pool_->EndRun();
    }
    ~Rest() {
      if (awake_) pool_->BeginRun();
    }
    Rest(const Rest&) = delete;
    Rest& operator=(const Rest&) = delete;

   private:
    ThreadPool* pool_;
    const bool awake_;
  };

 private:
  // What a worker has done, on a cache line of its own: 2 * g when its part of
  // job g is done, 2 * g - 1 from when somebody has taken it.
  struct alignas(64) Ticket {
    std::atomic<uint64_t> state{0};
    bool Take(uint64_t job) {
      uint64_t before = 2 * (job - 1);
      return state.compare_exchange_strong(before, 2 * job - 1,
                                           std::memory_order_acquire);
    }
    void Finish(uint64_t job) {
      state.store(2 * job, std::memory_order_release);
    }
    bool Finished(uint64_t job) const {
      return state.load(std::memory_order_acquire) == 2 * job;
    }
    bool Free(uint64_t job) const {
      return state.load(std::memory_order_relaxed) == 2 * (job - 1);
    }
  };

  void BeginRun();
  void EndRun();
  void WorkerLoop(int part);
  // Waits for the next job; the last one's number when the run has ended.
  uint64_t AwaitJob(uint64_t last);

  std::vector<Ticket> tickets_;  // one per worker
  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::atomic<bool> running_{false};
  // The number of the current job, and what it does.
  alignas(64) std::atomic<uint64_t> job_{0};
  const FunctionRef<void(int)>* body_ = nullptr;
};

}  // namespace stint
