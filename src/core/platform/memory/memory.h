#pragma once
// How much memory the machine has and the process has used.

#include <cstdint>

namespace stint {

// Installed memory, or the cgroup's limit where that is smaller.
int64_t PhysicalMemoryBytes();

// PhysicalMemoryBytes() answers `bytes` from now on (0: the truth again), so
// that tests and fuzzers see large tensors refused without allocating any.
void PretendMemoryForTesting(int64_t bytes);

// Resident memory of the process now; 0 if unknown.
int64_t ResidentBytes();

// High-water mark of the process's resident memory (VmHWM); 0 if unknown.
int64_t PeakResidentBytes();

}  // namespace stint
