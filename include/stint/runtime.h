#pragma once
// Runtime: the threads that sessions share.

#include <memory>
#include <string>

#include "stint/status.h"

namespace stint {

struct RuntimeOptions {
  int threads = 0;  // 0: all CPUs this process may use
  // Cap on the instruction set: "sse2", "avx2", "avx512", "vnni", "amx"; empty
  // for the best the machine has. A higher cap than the machine has is ignored.
  std::string isa;
};

// Cheap to copy; copies share the threads. Runs of sessions that share a
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
