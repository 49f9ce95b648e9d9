#pragma once
// What a Runtime owns.

#include <mutex>

#include "core/platform/cpu_info.h"
#include "core/platform/thread_pool.h"
#include "stint/runtime.h"

namespace stint {

struct Runtime::State {
  State(int threads, Isa cap) : pool(threads), isa(cap) {}
  ThreadPool pool;
  const Isa isa;
  std::mutex running;  // held by the session that runs
};

}  // namespace stint
