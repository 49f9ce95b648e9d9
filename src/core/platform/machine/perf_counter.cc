#include "core/platform/machine/perf_counter.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace stint {

Result<std::unique_ptr<PerfCounter>> PerfCounter::Open(uint32_t type,
                                                       uint64_t config,
                                                       int cpu) {
  perf_event_attr attributes{};
  attributes.type = type;
  attributes.size = sizeof(attributes);
  attributes.config = config;
  const long fd = syscall(SYS_perf_event_open, &attributes, /*pid=*/-1, cpu,
                          /*group=*/-1, PERF_FLAG_FD_CLOEXEC);
  if (fd >= 0) {
    return std::unique_ptr<PerfCounter>(new PerfCounter(static_cast<int>(fd)));
  }
  const std::string reason = std::strerror(errno);
  if (errno == EACCES || errno == EPERM) {
    return IoError(reason +
                   "; allowed with kernel.perf_event_paranoid <= 0 or the "
                   "capability CAP_PERFMON");
  }
  return Unsupported(reason);
}

PerfCounter::~PerfCounter() { close(fd_); }

Result<uint64_t> PerfCounter::Read() const {
  uint64_t count = 0;
  if (read(fd_, &count, sizeof(count)) != sizeof(count)) {
    return IoError(std::string("perf counter: ") + std::strerror(errno));
  }
  return count;
}

}  // namespace stint
