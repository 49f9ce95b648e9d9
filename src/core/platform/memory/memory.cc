#include "core/platform/memory/memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <limits>

namespace stint {
namespace {

// The first integer in a one-line file, or `fallback` ("max" means no limit).
int64_t ReadLimit(const char* path, int64_t fallback) {
  std::FILE* file = std::fopen(path, "re");
  if (file == nullptr) return fallback;
  long long value = 0;
  const bool found = std::fscanf(file, "%lld", &value) == 1;
  std::fclose(file);
  return found && value > 0 ? value : fallback;
}

int64_t MeasurePhysicalMemory() {
  const int64_t installed =
      static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  return std::min(
      {installed, ReadLimit("/sys/fs/cgroup/memory.max", installed),
       ReadLimit("/sys/fs/cgroup/memory/memory.limit_in_bytes", installed)});
}

std::atomic<int64_t> pretended_bytes{0};

// A line of the process's status, in KiB there; 0 if unknown.
int64_t StatusBytes(const char* name) {
  std::FILE* file = std::fopen("/proc/self/status", "re");
  if (file == nullptr) return 0;
  char line[256];
  long long kib = 0;
  const size_t length = std::strlen(name);
  while (std::fgets(line, sizeof(line), file) != nullptr) {
    if (std::strncmp(line, name, length) == 0) {
      std::sscanf(line + length, "%lld", &kib);
      break;
    }
  }
  std::fclose(file);
  return kib * 1024;
}

}  // namespace

int64_t PhysicalMemoryBytes() {
  static const int64_t bytes = MeasurePhysicalMemory();
  const int64_t pretended = pretended_bytes.load(std::memory_order_relaxed);
  return pretended > 0 ? pretended : bytes;
}

void PretendMemoryForTesting(int64_t bytes) {
  pretended_bytes.store(bytes, std::memory_order_relaxed);
}

// A tenth of the time that VmRSS of the status takes.
int64_t ResidentBytes() {
  const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  char text[128];
  const ssize_t size = read(fd, text, sizeof(text) - 1);
  close(fd);
  long long all = 0, resident = 0;
  text[std::max<ssize_t>(0, size)] = 0;
  if (std::sscanf(text, "%lld %lld", &all, &resident) != 2) return 0;
  return resident * sysconf(_SC_PAGESIZE);
}

int64_t PeakResidentBytes() { return StatusBytes("VmHWM:"); }

}  // namespace stint
