#pragma once
// Wall time and CPU time since a moment.

#include <cstdint>

#include "core/platform/clock.h"

namespace stint {

class Stopwatch {
 public:
  Stopwatch() { Restart(); }

  void Restart() {
    start_cpu_ms_ = ProcessCpuMs();
    start_ns_ = NowNs();
  }
  double wall_ms() const { return MsSince(start_ns_); }
  // User and system time of all threads of this process.
  double cpu_ms() const { return ProcessCpuMs() - start_cpu_ms_; }

 private:
  int64_t start_ns_ = 0;
  double start_cpu_ms_ = 0;
};

}  // namespace stint
