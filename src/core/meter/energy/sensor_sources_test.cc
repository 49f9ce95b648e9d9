// Sources that show power: hwmon chips, batteries, graphics cards.
#include <gtest/gtest.h>

#include "core/meter/energy/battery_source.h"
#include "core/meter/energy/hwmon_source.h"
#include "core/meter/energy/nvml_source.h"
#include "core/testing/system_tree.h"

namespace stint {
namespace {

void Channel(const SystemTree& tree, const std::string& chip, int number,
             const std::string& label, const std::string& millivolts,
             const std::string& milliamperes) {
  const std::string base = "/" + chip + "/";
  const std::string n = std::to_string(number);
  tree.Write(base + "in" + n + "_label", label);
  tree.Write(base + "in" + n + "_input", millivolts);
  tree.Write(base + "curr" + n + "_input", milliamperes);
}

TEST(Hwmon, AddsChannelsAsVoltsTimesAmperes) {
  SystemTree tree;
  tree.Write("/hwmon0/name", "coretemp");
  tree.Write("/hwmon1/name", "ina3221");
  Channel(tree, "hwmon1", 1, "GPU", "5000", "1000");
  Channel(tree, "hwmon1", 2, "CPU", "5000", "500");
  Channel(tree, "hwmon1", 3, "NC", "5000", "9000");
  const auto source = FindHwmon(tree.root());
  ASSERT_TRUE(source.ok());
  EXPECT_EQ((*source)->name(), "hwmon ina3221 GPU CPU");
  EXPECT_EQ(Letter((*source)->grade()), 'B');
  EXPECT_NEAR(*(*source)->Read(), 7.5, 1e-9);
}

TEST(Hwmon, TheChannelThatFeedsTheOthersIsUsedAlone) {
  SystemTree tree;
  tree.Write("/hwmon3/name", "ina3221");
  Channel(tree, "hwmon3", 1, "VDD_IN", "5000", "2000");
  Channel(tree, "hwmon3", 2, "VDD_CPU_GPU_CV", "5000", "1500");
  EXPECT_NEAR(*(*FindHwmon(tree.root()))->Read(), 10, 1e-9);
}

TEST(Hwmon, AMeterOfTheWholeMachineIsUsedAlone) {
  SystemTree tree;
  tree.Write("/hwmon0/name", "power_meter");
  tree.Write("/hwmon0/power1_average", "210000000");
  EXPECT_NEAR(*(*FindHwmon(tree.root()))->Read(), 210, 1e-9);
}

TEST(Hwmon, SensorsOfSingleDevicesAreNotUsed) {
  SystemTree tree;
  tree.Write("/hwmon0/name", "amdgpu");
  tree.Write("/hwmon0/power1_input", "30000000");
  EXPECT_EQ(FindHwmon(tree.root()).status().code(), StatusCode::kNotFound);
}

class BatteryTest : public testing::Test {
 protected:
  BatteryTest() {
    tree_.Write("/AC/type", "Mains");
    tree_.Write("/BAT0/type", "Battery");
    tree_.Write("/BAT0/status", "Discharging");
  }
  SystemTree tree_;
};

TEST_F(BatteryTest, MultipliesVoltageAndCurrentOfAnySign) {
  tree_.Write("/BAT0/voltage_now", "12000000");
  tree_.Write("/BAT0/current_now", "-500000");
  EXPECT_NEAR(*(*FindBattery(tree_.root()))->Read(), 6, 1e-9);
}

TEST_F(BatteryTest, ReadsPowerWhereItIsGiven) {
  tree_.Write("/BAT0/power_now", "8500000");
  const auto source = FindBattery(tree_.root());
  EXPECT_NEAR(*(*source)->Read(), 8.5, 1e-9);
  EXPECT_EQ((*source)->name(), "battery BAT0");
}

TEST_F(BatteryTest, IsRefusedWhileItIsCharged) {
  tree_.Write("/BAT0/power_now", "8500000");
  const auto source = FindBattery(tree_.root());
  tree_.Write("/BAT0/status", "Charging");
  EXPECT_EQ(FindBattery(tree_.root()).status().code(),
            StatusCode::kUnsupported);
  EXPECT_FALSE((*source)->Read().ok());
}

// Two cards; `counts` of them have a counter of energy.
NvmlCalls TwoCards(unsigned counts) {
  NvmlCalls calls;
  calls.init = [] { return 0; };
  calls.count = [](unsigned* count) {
    *count = 2;
    return 0;
  };
  calls.energy = [counts](unsigned card, unsigned long long* mj) {
    if (card >= counts) return 3;
    *mj = 1500;
    return 0;
  };
  calls.power = [](unsigned, unsigned* mw) {
    *mw = 25000;
    return 0;
  };
  return calls;
}

TEST(Nvml, AddsTheCountersOfAllCards) {
  const auto source = FindNvml(TwoCards(2));
  EXPECT_EQ(Letter((*source)->grade()), 'A');
  EXPECT_DOUBLE_EQ(*(*source)->Read(), 3);
}

TEST(Nvml, ACardWithoutACounterMakesItPower) {
  const auto source = FindNvml(TwoCards(1));
  EXPECT_EQ(Letter((*source)->grade()), 'B');
  EXPECT_DOUBLE_EQ(*(*source)->Read(), 50);
}

TEST(Nvml, ALibraryThatIsMissingIsSaid) {
  EXPECT_EQ(LoadNvml("libno-such-library.so.1").status().code(),
            StatusCode::kNotFound);
}

TEST(Nvml, ALibraryWithoutTheCallsIsRefused) {
  EXPECT_EQ(LoadNvml("libm.so.6").status().code(), StatusCode::kUnsupported);
}

TEST(NvidiaSmi, AddsALinePerCard) {
  SystemTree tree;
  tree.Write("/smi", "#!/bin/sh\necho 25.5\necho 14.5");
  std::filesystem::permissions(tree.root() + "/smi",
                               std::filesystem::perms::owner_all);
  const auto source = FindNvidiaSmi(tree.root() + "/smi");
  ASSERT_TRUE(source.ok()) << source.status().message();
  EXPECT_DOUBLE_EQ(*(*source)->Read(), 40);
  EXPECT_EQ(FindNvidiaSmi(tree.root() + "/no").status().code(),
            StatusCode::kNotFound);
}

TEST(NvidiaSmi, WordsAreNoWatts) {
  EXPECT_FALSE(ParseSmiWatts({"[N/A]"}).ok());
  EXPECT_FALSE(ParseSmiWatts({}).ok());
}

}  // namespace
}  // namespace stint
