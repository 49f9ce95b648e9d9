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

  // Something of it happened since the last call: a cgroup's limit was hit
  // while `resident_bytes` of this process were nearly all of it (files that
  // were read count, too, and give way), or some task stalled for memory in a
  // tenth of the last ten seconds. Systems that report neither are never short.
  bool Rose(int64_t resident_bytes);

 private:
  int64_t LimitHits() const;
  double LimitBytes() const;

  const std::string root_;
  std::string events_;  // the file that counts hits; empty: there is none
  int64_t hits_ = 0;
  bool stalled_ = false;
};

}  // namespace stint
