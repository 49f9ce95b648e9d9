#include "core/platform/machine/machine_state.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/testing/system_tree.h"

namespace stint {
namespace {

TEST(MachineState, NamesTheKindOfMachine) {
  EXPECT_NE(MachineName().find(" x "), std::string::npos);
  EXPECT_EQ(MachineName(), MachineName());
}

TEST(MachineState, TellsMachinesOfAKindApartWithoutNamingThem) {
  SystemTree first, second, none;
  first.Write("/etc/machine-id", "0123456789abcdef");
  second.Write("/etc/machine-id", "0123456789abcdee");
  EXPECT_EQ(HostId(first.root()).size(), 12u);
  EXPECT_EQ(HostId(first.root()), HostId(first.root()));
  EXPECT_NE(HostId(first.root()), HostId(second.root()));
  EXPECT_EQ(HostId(first.root()).find("0123456789"), std::string::npos);
  EXPECT_EQ(HostId(none.root()), "");
}

TEST(MachineState, ReadsSettingsThatAreThere) {
  SystemTree tree;
  tree.Write("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
             "performance");
  tree.Write("/sys/devices/system/cpu/intel_pstate/no_turbo", "1");
  EXPECT_EQ(ReadMachineSettings(tree.root()),
            (std::map<std::string, std::string>{{"governor", "performance"},
                                                {"no_turbo", "1"}}));
}

TEST(MachineState, StealIsTheEighthValueInTicks) {
  SystemTree tree;
  tree.Write("/proc/stat", "cpu  1 2 3 4 5 6 7 250 9 10\ncpu0 1 2");
  const double ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  EXPECT_DOUBLE_EQ(ReadDisturbance(tree.root()).steal_ms, 250e3 / ticks);
}

TEST(MachineState, ReadsThrottlingOfBothCgroups) {
  SystemTree second;
  second.Write("/sys/fs/cgroup/cpu.stat",
               "usage_usec 5\nnr_throttled 2\nthrottled_usec 7000");
  EXPECT_DOUBLE_EQ(ReadDisturbance(second.root()).throttled_ms, 7);
  SystemTree first;
  first.Write("/sys/fs/cgroup/cpu/cpu.stat",
              "nr_periods 3\nthrottled_time 9000000");
  EXPECT_DOUBLE_EQ(ReadDisturbance(first.root()).throttled_ms, 9);
}

TEST(MachineState, AddsTheSwitchesOfAllThreads) {
  SystemTree tree;
  for (const char* thread : {"/proc/7/task/7", "/proc/7/task/8"}) {
    tree.Write(thread + std::string("/status"),
               "Name: x\nvoluntary_ctxt_switches:\t5\n"
               "nonvoluntary_ctxt_switches:\t2");
  }
  tree.Write("/proc/7/stat", "7 (a b) S 1 2 3 4 5 6 100 0 4 0 9 9");
  const ProcessCounters counters = ReadProcessCounters(7, tree.root());
  EXPECT_EQ(counters.voluntary_switches, 10);
  EXPECT_EQ(counters.involuntary_switches, 4);
  EXPECT_EQ(counters.minor_faults, 100);
  EXPECT_EQ(counters.major_faults, 4);
}

TEST(MachineState, ThisProcessHasFaulted) {
  EXPECT_GT(ReadProcessCounters(getpid(), "").minor_faults, 0);
  EXPECT_EQ(ReadProcessCounters(0, "").minor_faults, 0);
}

}  // namespace
}  // namespace stint
