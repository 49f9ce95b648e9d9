#include "core/platform/clock.h"

#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace stint {
namespace {

int64_t ReadClock(clockid_t id) {
  timespec now{};
  clock_gettime(id, &now);
  return static_cast<int64_t>(now.tv_sec) * 1000000000 + now.tv_nsec;
}

}  // namespace

int64_t NowNs() { return ReadClock(CLOCK_MONOTONIC); }

double UnixSeconds() {
  return static_cast<double>(ReadClock(CLOCK_REALTIME)) * 1e-9;
}

void SleepUntilNs(int64_t ns) {
  const timespec until{ns / 1000000000, ns % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) ==
         EINTR) {
  }
}

double ProcessCpuMs() {
  return static_cast<double>(ReadClock(CLOCK_PROCESS_CPUTIME_ID)) * 1e-6;
}

double MsSinceProcessStart() {
  std::FILE* file = std::fopen("/proc/self/stat", "re");
  if (file == nullptr) return 0;
  char line[1024] = "";
  const char* text = std::fgets(line, sizeof(line), file);
  std::fclose(file);
  // The command name may hold spaces; fields are counted after its ")".
  const char* after = text != nullptr ? std::strrchr(text, ')') : nullptr;
  unsigned long long start_ticks = 0;
  if (after == nullptr ||
      std::sscanf(after + 1,
                  " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d "
                  "%*d %*d %*d %*d %*d %llu",
                  &start_ticks) != 1) {
    return 0;
  }
  const double start_ms = static_cast<double>(start_ticks) * 1000.0 /
                          static_cast<double>(sysconf(_SC_CLK_TCK));
  return static_cast<double>(ReadClock(CLOCK_BOOTTIME)) * 1e-6 - start_ms;
}

}  // namespace stint
