#include "core/platform/clock.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
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

struct Load {
  int64_t boot_ns = ReadClock(CLOCK_BOOTTIME);
  int64_t cpu_ns = ReadClock(CLOCK_PROCESS_CPUTIME_ID);
};
// Among the first that a program does.
[[gnu::init_priority(101)]] const Load kLoaded;

// Ticks from the start of the machine to that of this process; -1: unknown.
int64_t StartTicks() {
  std::FILE* file = std::fopen("/proc/self/stat", "re");
  if (file == nullptr) return -1;
  char line[1024] = "";
  const char* text = std::fgets(line, sizeof(line), file);
  std::fclose(file);
  // The command name may hold spaces; fields are counted after its ")".
  const char* after = text != nullptr ? std::strrchr(text, ')') : nullptr;
  unsigned long long ticks = 0;
  if (after == nullptr ||
      std::sscanf(after + 1,
                  " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d "
                  "%*d %*d %*d %*d %*d %llu",
                  &ticks) != 1) {
    return -1;
  }
  return static_cast<int64_t>(ticks);
}

// From the start of the process to kLoaded. Ticks are rounded down: by them it
// began up to one tick earlier than it did.
double MsBeforeLoad() {
  const double cpu_ms = static_cast<double>(kLoaded.cpu_ns) * 1e-6;
  const int64_t ticks = StartTicks();
  if (ticks < 0) return cpu_ms;
  const double tick_ms = 1000.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  const double most =
      std::max(0.0, static_cast<double>(kLoaded.boot_ns) * 1e-6 -
                        static_cast<double>(ticks) * tick_ms);
  return std::clamp(cpu_ms, std::max(0.0, most - tick_ms), most);
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
  static const double before_ms = MsBeforeLoad();
  return before_ms +
         static_cast<double>(ReadClock(CLOCK_BOOTTIME) - kLoaded.boot_ns) *
             1e-6;
}

}  // namespace stint
