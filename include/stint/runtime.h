#pragma once
// Runtime: the threads and the memory that sessions share.

#include <cstdint>
#include <memory>
#include <string>

#include "stint/status.h"

namespace stint {

struct RuntimeOptions {
  int threads = 0;  // 0: all CPUs this process may use
  // Cap on the instruction set: "sse2", "avx2", "avx512", "vnni", "bf16",
  // "amx"; empty for the best the machine has. A higher cap than the machine
  // has is ignored.
  std::string isa;
  // Resident memory of the whole process at its peak, for all sessions of this
  // runtime together; 0: no limit. Each session on an elastic file gets a share
  // by the bytes of its weights; when another one comes or goes, it plans again
  // with its next run. A session may have a tighter budget of its own
  // (SessionOptions::budget).
  int64_t memory_bytes = 0;
};

// Cheap to copy; copies share threads and memory. Runs of sessions that share a
// runtime take turns.
class Runtime {
 public:
  static Result<Runtime> Create(const RuntimeOptions& options = {});

  int threads() const;
  std::string isa() const;

 private:
  friend class Session;
  struct State;
  explicit Runtime(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

}  // namespace stint
