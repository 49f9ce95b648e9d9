#pragma once
// Time: monotonic, of day, of the CPU.

#include <cstdint>

namespace stint {

int64_t NowNs();  // monotonic
// Seconds since 1970 (UTC), to compare with what other machines wrote.
double UnixSeconds();
// Sleeps until NowNs() has reached `ns`.
void SleepUntilNs(int64_t ns);
inline double MsSince(int64_t start_ns) {
  return static_cast<double>(NowNs() - start_ns) * 1e-6;
}
// Milliseconds since this process was started. The system records that to 10 ms
// (ticks of 1/100 s); before its first own instruction the process is taken to
// have lived as long as it had computed, as far as that agrees with the record.
// Exact where it never waited till then, and never 10 ms off.
double MsSinceProcessStart();
// CPU time of all threads of this process, user and system.
double ProcessCpuMs();

}  // namespace stint
