#include "core/meter/energy/perf_source.h"

#include <gtest/gtest.h>

#include <map>

#include "core/testing/system_tree.h"

namespace stint {
namespace {

class PerfSourceTest : public testing::Test {
 protected:
  void Event(const std::string& name, const std::string& config,
             const std::string& unit = "Joules") {
    tree_.Write("/power/type", "9");
    tree_.Write("/power/cpumask", "0,2");
    const std::string path = "/power/events/" + name;
    tree_.Write(path, "event=" + config);
    tree_.Write(path + ".scale", "0.5");
    tree_.Write(path + ".unit", unit);
  }
  FoundEnergySource Find() {
    return FindPerfPower(
        tree_.root(),
        [this](uint32_t type, uint64_t config, int cpu) -> Result<CountReader> {
          EXPECT_EQ(type, 9u);
          if (config == refused_) return IoError("not allowed");
          return CountReader([this, config, cpu]() -> Result<uint64_t> {
            return counts_[{config, cpu}];
          });
        });
  }
  SystemTree tree_;
  std::map<std::pair<uint64_t, int>, uint64_t> counts_;
  uint64_t refused_ = 0;
};

TEST_F(PerfSourceTest, AddsPackageAndMemoryOfEveryListedCpu) {
  Event("energy-pkg", "0x02");
  Event("energy-ram", "0x03");
  Event("energy-psys", "0x05");
  Event("energy-cores", "0x01");
  const auto source = Find();
  ASSERT_TRUE(source.ok()) << source.status().message();
  EXPECT_EQ((*source)->name(), "perf power/energy-pkg+energy-ram");
  counts_ = {
      {{2, 0}, 10}, {{2, 2}, 20}, {{3, 0}, 2}, {{5, 0}, 1000}, {{1, 0}, 1000}};
  EXPECT_DOUBLE_EQ(*(*source)->Read(), 16);
}

TEST_F(PerfSourceTest, UsesThePlatformAloneWithoutAPackage) {
  Event("energy-psys", "0x05");
  EXPECT_EQ((*Find())->name(), "perf power/energy-psys");
}

TEST_F(PerfSourceTest, AnEventThatMayNotBeOpenedIsSaid) {
  Event("energy-pkg", "0x02");
  refused_ = 2;
  const Status status = Find().status();
  EXPECT_EQ(status.code(), StatusCode::kIo);
  EXPECT_NE(status.message().find("energy-pkg: not allowed"),
            std::string::npos);
}

TEST_F(PerfSourceTest, AnotherUnitIsRefused) {
  Event("energy-pkg", "0x02", "Calories");
  EXPECT_EQ(Find().status().code(), StatusCode::kDamaged);
}

TEST_F(PerfSourceTest, NoFolderIsNoMeter) {
  EXPECT_EQ(Find().status().code(), StatusCode::kNotFound);
}

TEST(ParseCpuList, ReadsNumbersAndRanges) {
  EXPECT_EQ(*ParseCpuList("0,4-6"), (std::vector<int>{0, 4, 5, 6}));
}

TEST(ParseCpuList, RefusesWhatIsNone) {
  for (const char* text : {"", "a", "1-", "3-1", "0,,1", "-1", "1-99999999"}) {
    EXPECT_FALSE(ParseCpuList(text).ok()) << text;
  }
}

}  // namespace
}  // namespace stint
