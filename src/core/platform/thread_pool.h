#pragma once
// The runtime's own threads. Inside a run workers spin for work, because waking
// a sleeping thread costs about 25 us and a spinning one 0.15 us; between runs
// they sleep and use no CPU.

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

  // Runs body(part) for part in [0, threads()), one per thread.
  void ParallelParts(FunctionRef<void(int part)> body);

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

 private:
  void BeginRun();
  void EndRun();
  void WorkerLoop(int part);

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::atomic<bool> running_{false};
  // Each job gets a new generation; a worker that has seen it runs its part.
  alignas(64) std::atomic<uint64_t> generation_{0};
  const FunctionRef<void(int)>* job_ = nullptr;
  alignas(64) std::atomic<int> pending_{0};
};

}  // namespace stint
