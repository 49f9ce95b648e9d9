#pragma once
// One hardware counter of the kernel's perf events, counted system-wide.

#include <cstdint>
#include <memory>

#include "stint/status.h"

namespace stint {

class PerfCounter {
 public:
  // A counter of a PMU (`type` and `config` as its sysfs folder names them) on
  // one CPU, for all processes. kUnsupported when the machine has no such
  // event, kIo when this process may not count (with the remedy).
  static Result<std::unique_ptr<PerfCounter>> Open(uint32_t type,
                                                   uint64_t config, int cpu);
  ~PerfCounter();
  PerfCounter(const PerfCounter&) = delete;
  PerfCounter& operator=(const PerfCounter&) = delete;

  Result<uint64_t> Read() const;

 private:
  explicit PerfCounter(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace stint
