#pragma once
// Runtime: the threads and the memory that sessions share.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "stint/status.h"
#include "stint/target.h"

namespace stint {

struct RuntimeOptions {
  int threads = 0;  // 0: all CPUs this process may use
  // Cap on the instruction set; absent: the best the machine has. A cap above
  // that changes nothing.
  std::optional<Isa> isa = {};
  // Resident memory of the whole process at its peak, for all sessions of this
  // runtime together; 0: no limit. Each session on an elastic file gets a share
  // by the bytes of its weights; when another one comes or goes, it plans again
  // with its next run. A session may have a tighter budget of its own
  // (SessionOptions::budget).
  int64_t memory_bytes = 0;
  // Where measurements of this machine are kept between programs: costs of
  // layers, schedules, compiled device code. Absent: $XDG_CACHE_HOME/stint, or
  // ~/.cache/stint; empty: nowhere.
  std::optional<std::string> cache_folder = {};
};

// Gives back memory that the process does not need now: freed blocks of the
// heap, and pages of the program, which come back when they are used. For
// programs within a small memory budget, where one of their phases ends.
void ReleaseUnusedMemory();

// Cheap to copy; copies share threads and memory. Runs of sessions that share a
// runtime take turns.
class Runtime {
 public:
  static Result<Runtime> Create(const RuntimeOptions& options = {});

  int threads() const;
  Isa isa() const;

 private:
  friend class Session;
  struct State;
  explicit Runtime(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

}  // namespace stint
