#pragma once
// What else a measurement depended on: the kind of machine, how it was set, and
// what disturbed it meanwhile.

#include <cstdint>
#include <map>
#include <string>

namespace stint {

// The kind of machine: "Intel(R) Xeon(R) ... x 2, 25 GB". Machines of one kind
// have one name.
std::string MachineName();

// Tells machines of one kind apart, without telling which they are: a hash of
// the system's machine id, or of the name of the host where it has none. `root`
// as below.
std::string HostId(const std::string& root);

// Settings by name: kernel, governor, no_turbo, boost, smt, clocksource; those
// that the system does not show are left out. `root` is "" or a made-up tree.
std::map<std::string, std::string> ReadMachineSettings(const std::string& root);

// Growing totals since the machine was started; 0 where unknown.
struct DisturbanceCounters {
  double steal_ms = 0;      // CPU time that the host gave to others, all CPUs
  double throttled_ms = 0;  // time that a cgroup's quota stopped us
};
DisturbanceCounters ReadDisturbance(const std::string& root);

// Growing totals of one process with all its threads so far; 0 where unknown.
struct ProcessCounters {
  int64_t voluntary_switches = 0;    // waited for something
  int64_t involuntary_switches = 0;  // was put aside for others
  int64_t minor_faults = 0;
  int64_t major_faults = 0;  // had to read storage
};
// `root` as above.
ProcessCounters ReadProcessCounters(int pid, const std::string& root);

}  // namespace stint
