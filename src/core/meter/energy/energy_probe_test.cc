#include "core/meter/energy/energy_probe.h"

#include <gtest/gtest.h>

#include "core/platform/clock.h"
#include "core/testing/system_tree.h"

namespace stint {
namespace {

void WaitMs(double ms) {
  SleepUntilNs(NowNs() + static_cast<int64_t>(ms * 1e6));
}

// A package counter that idle and busy move by so many joules each.
class EnergyProbeTest : public testing::Test {
 protected:
  void SetCounter(double joules) {
    joules_ = joules;
    tree_.Write(kZone + "/name", "package-0");
    tree_.Write(kZone + "/energy_uj", std::to_string(joules * 1e6));
  }
  EnergyMeter Probe(double idle_joules, double busy_joules) {
    const auto move = [this](double joules) {
      WaitMs(20);
      if (joules > 0) SetCounter(joules_ + joules);
    };
    return ProbeEnergyMeter(
               EnergyPlaces::Below(tree_.root()),
               {[&] { move(idle_joules); }, [&] { move(busy_joules); }})
        .meter;
  }

  const std::string kZone = "/sys/class/powercap/intel-rapl:0";
  SystemTree tree_;
  double joules_ = 0;
};

TEST_F(EnergyProbeTest, TrustsACounterThatRisesUnderLoad) {
  SetCounter(1);
  const EnergyMeter meter = Probe(0.1, 1);
  EXPECT_EQ(meter.grade, "A");
  EXPECT_EQ(meter.source, "RAPL package-0");
}

TEST_F(EnergyProbeTest, RefusesACounterThatStaysAtZero) {
  SetCounter(0);
  const EnergyMeter meter = Probe(0, 0);
  EXPECT_EQ(meter.grade, "E");
  EXPECT_EQ(meter.source, "RAPL package-0 stays at 0 under load");
}

TEST_F(EnergyProbeTest, RefusesPowerThatNoProcessorHas) {
  SetCounter(1);
  EXPECT_NE(Probe(1, 1e6).source.find("expected 0.2 W to 2e+03 W"),
            std::string::npos);
  EXPECT_EQ(Probe(0, 1e-6).grade, "E");
}

TEST_F(EnergyProbeTest, RefusesACounterThatLoadDoesNotMove) {
  SetCounter(1);
  EXPECT_EQ(Probe(2, 0.5).source, "RAPL package-0 does not rise under load");
}

TEST_F(EnergyProbeTest, GoesOnToTheNextKind) {
  SetCounter(0);
  tree_.Write("/sys/class/hwmon/hwmon0/name", "ina3221");
  tree_.Write("/sys/class/hwmon/hwmon0/in1_input", "5000");
  const auto draw = [this](const char* milliamperes) {
    tree_.Write("/sys/class/hwmon/hwmon0/curr1_input", milliamperes);
    WaitMs(60);
  };
  draw("400");
  const LiveMeter live =
      ProbeEnergyMeter(EnergyPlaces::Below(tree_.root()),
                       {[&] { draw("400"); }, [&] { draw("1600"); }});
  EXPECT_EQ(live.meter.grade, "B");
  EXPECT_EQ(live.meter.source, "hwmon ina3221 channel 1");
  EXPECT_NE(live.source, nullptr);
}

TEST_F(EnergyProbeTest, SaysWhenThereIsNothing) {
  EXPECT_EQ(Probe(0, 0).source.substr(0, 10), "none found");
}

}  // namespace
}  // namespace stint
