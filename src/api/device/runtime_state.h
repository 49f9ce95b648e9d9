#pragma once
// What a Runtime owns.

#include <mutex>
#include <string>

#include "core/platform/cpu_info.h"
#include "core/platform/thread_pool.h"
#include "engine/elastic/memory/memory_shares.h"
#include "stint/runtime.h"

namespace stint {

struct Runtime::State {
  State(int threads, Isa cap, int64_t memory_bytes, std::string cache)
      : pool(threads),
        isa(cap),
        shares(memory_bytes == 0
                   ? nullptr
                   : std::make_shared<MemoryShares>(memory_bytes)),
        cache_folder(std::move(cache)) {}
  ThreadPool pool;
  const Isa isa;
  // Null: no limit.
  const std::shared_ptr<MemoryShares> shares;
  const std::string cache_folder;  // empty: nothing is kept
  std::mutex running;  // held by the session that runs, comes or goes
};

}  // namespace stint
