#include "core/platform/machine/machine_state.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/base/checksum.h"
#include "core/platform/cpu_info.h"
#include "core/platform/file.h"
#include "core/platform/memory/memory.h"
#include "core/platform/system_text.h"

namespace stint {
namespace {

// The number after `key` at the start of a line; 0 when there is none.
double NumberAfter(const std::string& text, const std::string& key) {
  size_t at = text.rfind(key, 0) == 0 ? 0 : text.find("\n" + key);
  if (at == std::string::npos) return 0;
  at += key.size() + (text[at] == '\n' ? 1 : 0);
  return std::strtod(text.c_str() + at, nullptr);
}

void AddSwitches(const std::string& status, ProcessCounters* counters) {
  counters->voluntary_switches +=
      static_cast<int64_t>(NumberAfter(status, "voluntary_ctxt_switches:"));
  counters->involuntary_switches +=
      static_cast<int64_t>(NumberAfter(status, "nonvoluntary_ctxt_switches:"));
}

}  // namespace

std::string MachineName() {
  char size[48];
  std::snprintf(size, sizeof(size), " x %d, %.0f GB", AvailableCpus(),
                static_cast<double>(PhysicalMemoryBytes()) * 1e-9);
  return CpuModel() + size;
}

std::string HostId(const std::string& root) {
  std::string name;
  for (const char* path : {"/etc/machine-id", "/var/lib/dbus/machine-id",
                           "/etc/hostname", "/proc/sys/kernel/hostname"}) {
    const auto text = ReadSystemText(root + path);
    if (!text.ok() || text->empty()) continue;
    name = *text;
    break;
  }
  if (name.empty()) return "";
  char id[24];
  std::snprintf(id, sizeof(id), "%012llx",
                static_cast<unsigned long long>(
                    Checksum({reinterpret_cast<const uint8_t*>(name.data()),
                              name.size()}) &
                    0xffffffffffff));
  return id;
}

std::map<std::string, std::string> ReadMachineSettings(
    const std::string& root) {
  std::map<std::string, std::string> settings;
  const auto add = [&](const char* name, const char* path) {
    const auto text = ReadSystemText(root + path);
    if (text.ok() && !text->empty()) settings[name] = *text;
  };
  add("governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  add("no_turbo", "/sys/devices/system/cpu/intel_pstate/no_turbo");
  add("boost", "/sys/devices/system/cpu/cpufreq/boost");
  add("smt", "/sys/devices/system/cpu/smt/active");
  add("clocksource",
      "/sys/devices/system/clocksource/clocksource0/current_clocksource");
  add("kernel", "/proc/sys/kernel/osrelease");
  return settings;
}

DisturbanceCounters ReadDisturbance(const std::string& root) {
  DisturbanceCounters counters;
  const auto stat = ReadSystemText(root + "/proc/stat");
  unsigned long long steal = 0;
  if (stat.ok() &&
      std::sscanf(stat->c_str(), "cpu %*u %*u %*u %*u %*u %*u %*u %llu",
                  &steal) == 1) {
    counters.steal_ms = static_cast<double>(steal) * 1000.0 /
                        static_cast<double>(sysconf(_SC_CLK_TCK));
  }
  const auto second = ReadSystemText(root + "/sys/fs/cgroup/cpu.stat");
  if (second.ok()) {
    counters.throttled_ms = NumberAfter(*second, "throttled_usec") * 1e-3;
  }
  const auto first = ReadSystemText(root + "/sys/fs/cgroup/cpu/cpu.stat");
  if (first.ok()) {
    counters.throttled_ms = NumberAfter(*first, "throttled_time") * 1e-6;
  }
  return counters;
}

ProcessCounters ReadProcessCounters(int pid, const std::string& root) {
  ProcessCounters counters;
  const std::string folder = root + "/proc/" + std::to_string(pid);
  // Each thread counts its own switches.
  if (const auto threads = ListDirectory(folder + "/task"); threads.ok()) {
    for (const std::string& thread : *threads) {
      const auto status =
          ReadSystemText(folder + "/task/" + thread + "/status");
      if (status.ok()) AddSwitches(*status, &counters);
    }
  }
  const auto stat = ReadSystemText(folder + "/stat");
  if (!stat.ok()) return counters;
  // The command name may hold spaces; fields are counted after its ")".
  const char* after = std::strrchr(stat->c_str(), ')');
  unsigned long long minor = 0, major = 0;
  if (after != nullptr &&
      std::sscanf(after + 1, " %*c %*d %*d %*d %*d %*d %*u %llu %*u %llu",
                  &minor, &major) == 2) {
    counters.minor_faults = static_cast<int64_t>(minor);
    counters.major_faults = static_cast<int64_t>(major);
  }
  return counters;
}

}  // namespace stint
