#include "core/meter/energy/energy_recorder.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <thread>

#include "core/platform/clock.h"
#include "core/testing/system_tree.h"

namespace stint {
namespace {

constexpr double kIdleWatts = 5;
constexpr double kWattsPerCpu = 20;  // of a busy CPU

// A package that counts what this process's CPU time would take, as a kernel
// would show it.
class SimulatedPackage {
 public:
  explicit SimulatedPackage(const SystemTree& tree)
      : tree_(&tree), thread_([this] { Count(); }) {
    tree.Write("/sys/class/powercap/intel-rapl:0/name", "package-0");
    while (!counted_) std::this_thread::yield();
  }
  ~SimulatedPackage() {
    stop_ = true;
    thread_.join();
  }

 private:
  void Count() {
    const int64_t start = NowNs();
    const double cpu_ms = ProcessCpuMs();
    while (!stop_) {
      const double joules = 1 + kIdleWatts * MsSince(start) * 1e-3 +
                            kWattsPerCpu * (ProcessCpuMs() - cpu_ms) * 1e-3;
      tree_->Write("/sys/class/powercap/intel-rapl:0/energy_uj",
                   std::to_string(joules * 1e6));
      counted_ = true;
      SleepUntilNs(NowNs() + 1'000'000);
    }
  }

  const SystemTree* tree_;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> counted_ = false;
  std::thread thread_;
};

EnergyOptions OptionsBelow(const SystemTree& tree) {
  EnergyOptions options;
  options.places = EnergyPlaces::Below(tree.root());
  options.idle_seconds = 0.2;
  return options;
}

// Begin, some CPU time, End.
void Work(double seconds, EnergyRecorder* recorder) {
  ASSERT_TRUE(recorder->Begin().ok());
  const double cpu_ms = ProcessCpuMs();
  const int64_t start = NowNs();
  while (MsSince(start) < seconds * 1e3) {
  }
  ASSERT_TRUE(recorder->End((ProcessCpuMs() - cpu_ms) * 1e-3).ok());
}

// On a busy machine the counter of the simulation is late now and then: any of
// several measurements will do.
TEST(EnergyRecorder, NetIsWhatTheWorkAddsToIdle) {
  SystemTree tree;
  const SimulatedPackage package(tree);
  double off = 1;
  for (int i = 0; i < 5 && off > 0.25; ++i) {
    auto recorder = EnergyRecorder::Make(OptionsBelow(tree));
    ASSERT_TRUE(recorder.ok());
    ASSERT_EQ(recorder->meter().grade, "A") << recorder->meter().source;
    ASSERT_TRUE(recorder->Idle().ok());
    Work(1.05, &*recorder);
    ASSERT_TRUE(recorder->Idle().ok());
    const auto report = recorder->Report();
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(report->shown_as, "measured");
    EXPECT_EQ(report->note, "");
    EXPECT_GT(report->gross->joules, report->net->joules);
    // The simulation's own thread takes CPU time both idle and busy.
    const double expected = kWattsPerCpu * report->cpu_seconds;
    off = std::abs(report->net->joules - expected) / expected;
  }
  EXPECT_LE(off, 0.25);
}

TEST(WattsWhile, IsThePowerOfTheWorkWithIdle) {
  SystemTree tree;
  const SimulatedPackage package(tree);
  const auto watts = WattsWhile(OptionsBelow(tree), [] {
    const int64_t start = NowNs();
    while (MsSince(start) < 10) {
    }
  });
  ASSERT_TRUE(watts.ok()) << watts.status().message();
  // One CPU; on a busy machine it does not get all of one.
  EXPECT_GT(*watts, kIdleWatts);
  EXPECT_LT(*watts, 1.3 * (kIdleWatts + kWattsPerCpu));
}

TEST(WattsWhile, WithoutAMeterTheReasonIsSaid) {
  SystemTree tree;
  bool worked = false;
  const auto watts = WattsWhile(OptionsBelow(tree), [&] { worked = true; });
  EXPECT_EQ(watts.status().code(), StatusCode::kUnsupported);
  EXPECT_NE(watts.status().message().find("no live energy meter: none found"),
            std::string::npos)
      << watts.status().message();
  EXPECT_FALSE(worked);
}

TEST(EnergyRecorder, AShortBlockSaysSo) {
  SystemTree tree;
  const SimulatedPackage package(tree);
  auto recorder = EnergyRecorder::Make(OptionsBelow(tree));
  Work(0.02, &*recorder);
  EXPECT_EQ(recorder->Report()->note, "too short a block for this meter");
}

TEST(EnergyRecorder, WithoutAMeterThereAreNoJoules) {
  SystemTree tree;
  auto recorder = EnergyRecorder::Make(OptionsBelow(tree));
  EXPECT_FALSE(recorder->measures());
  ASSERT_TRUE(recorder->Idle().ok());
  Work(0.01, &*recorder);
  const auto report = recorder->Report();
  EXPECT_EQ(report->meter.grade, "E");
  EXPECT_FALSE(report->gross);
  EXPECT_GT(report->cpu_seconds, 0);
}

TEST(EnergyRecorder, AModelIsGradeDWithItsError) {
  SystemTree tree;
  EnergyOptions options = OptionsBelow(tree);
  options.watts_per_core = 10;
  auto recorder = EnergyRecorder::Make(options);
  Work(0.01, &*recorder);
  const auto report = recorder->Report();
  EXPECT_EQ(report->meter.grade, "D");
  EXPECT_DOUBLE_EQ(report->gross->joules, 10 * report->cpu_seconds);
  EXPECT_DOUBLE_EQ(report->gross->joules_error, 0.4 * report->gross->joules);
  EXPECT_FALSE(report->net);
}

TEST(EnergyRecorder, TakesTheLogOfAnotherMeter) {
  SystemTree tree;
  const std::string path = tree.root() + "/meter.csv";
  std::ofstream log(path);
  const double start = UnixSeconds();
  log.precision(15);
  log << "time_s,watts\n";
  for (int i = -10; i < 100; ++i) log << start + 0.1 * i << ",40\n";
  log.close();
  EnergyOptions options = OptionsBelow(tree);
  options.external_log = path;
  auto recorder = EnergyRecorder::Make(options);
  ASSERT_TRUE(recorder.ok()) << recorder.status().message();
  Work(0.3, &*recorder);
  const auto report = recorder->Report();
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->meter.grade, "C");
  EXPECT_NEAR(report->gross->joules, 40 * report->seconds,
              0.02 * 40 * report->seconds);
}

TEST(EnergyRecorder, ALogThatIsNoneIsNamed) {
  SystemTree tree;
  EnergyOptions options = OptionsBelow(tree);
  options.external_log = tree.root() + "/no.csv";
  EXPECT_NE(EnergyRecorder::Make(options).status().message().find("no.csv"),
            std::string::npos);
}

}  // namespace
}  // namespace stint
