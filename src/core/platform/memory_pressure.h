#pragma once
// Whether the system is short of memory: stalls that it reports (PSI), or a
// cgroup of this process that reached its limit.

#include <cstdint>
#include <string>

namespace stint {

class MemoryPressure {
 public:
  // Files below `root` ("" on a real system; tests have a folder).
  explicit MemoryPressure(std::string root = "");

  // Something of it happened since the last call: a cgroup's limit was hit, or
  // some task stalled for memory in a tenth of the last ten seconds. Systems
  // that report neither are never short.
  bool Rose();

 private:
  int64_t LimitHits() const;

  const std::string root_;
  std::string events_;  // the file that counts hits; empty: there is none
  int64_t hits_ = 0;
  bool stalled_ = false;
};

}  // namespace stint
