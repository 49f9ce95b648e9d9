#include "core/meter/energy/rapl_source.h"

#include <gtest/gtest.h>

#include "core/testing/system_tree.h"

namespace stint {
namespace {

class RaplTest : public testing::Test {
 protected:
  void Zone(const std::string& entry, const std::string& name,
            const std::string& microjoules) {
    tree_.Write("/" + entry + "/name", name);
    tree_.Write("/" + entry + "/energy_uj", microjoules);
    tree_.Write("/" + entry + "/max_energy_range_uj", "262143328850");
  }
  void Count(const std::string& entry, const std::string& microjoules) {
    tree_.Write("/" + entry + "/energy_uj", microjoules);
  }
  std::unique_ptr<EnergySource> Find() {
    auto found = FindRapl(tree_.root());
    EXPECT_TRUE(found.ok()) << found.status().message();
    return std::move(*found);
  }
  SystemTree tree_;
};

TEST_F(RaplTest, AddsPackagesAndTheirMemoryButNoPartOfAPackage) {
  Zone("intel-rapl:0", "package-0", "1000000");
  Zone("intel-rapl:0:0", "core", "1000000");
  Zone("intel-rapl:0:1", "dram", "1000000");
  Zone("intel-rapl:1", "package-1", "1000000");
  Zone("intel-rapl:2", "psys", "1000000");
  const auto source = Find();
  EXPECT_EQ(source->name(), "RAPL package-0 dram package-1");
  EXPECT_EQ(Letter(source->grade()), 'A');
  const double before = *source->Read();
  Count("intel-rapl:0", "3000000");
  Count("intel-rapl:0:0", "9000000");
  Count("intel-rapl:0:1", "1500000");
  Count("intel-rapl:1", "2000000");
  Count("intel-rapl:2", "99000000");
  EXPECT_NEAR(*source->Read() - before, 2 + 0.5 + 1, 1e-9);
}

TEST_F(RaplTest, ThePlatformIsUsedAloneAndOnlyWithoutPackages) {
  Zone("intel-rapl:0", "psys", "5");
  EXPECT_EQ(Find()->name(), "RAPL psys");
}

TEST_F(RaplTest, AZoneThatRepeatsAPackageIsLeftOut) {
  Zone("intel-rapl-mmio:0", "package-0", "1");
  Zone("intel-rapl:0", "package-0", "1");
  const auto source = Find();
  EXPECT_EQ(source->name(), "RAPL package-0");
  const double before = *source->Read();
  Count("intel-rapl:0", "2000001");
  Count("intel-rapl-mmio:0", "2000001");
  EXPECT_NEAR(*source->Read() - before, 2, 1e-9);
}

TEST_F(RaplTest, GoesOnWhenTheCounterStartsAgain) {
  Zone("intel-rapl:0", "package-0", "262143000000");
  const auto source = Find();
  const double before = *source->Read();
  Count("intel-rapl:0", "671150");
  EXPECT_NEAR(*source->Read() - before, 1.0, 1e-6);
  Count("intel-rapl:0", "1671150");
  EXPECT_NEAR(*source->Read() - before, 2.0, 1e-6);
}

TEST_F(RaplTest, ACounterThatGoesBackWithoutARangeIsAnError) {
  tree_.Write("/intel-rapl:0/name", "package-0");
  Count("intel-rapl:0", "500");
  const auto source = Find();
  Count("intel-rapl:0", "400");
  EXPECT_EQ(source->Read().status().code(), StatusCode::kDamaged);
}

TEST_F(RaplTest, BelievesTwiceTheDesignPower) {
  Zone("intel-rapl:0", "package-0", "1");
  tree_.Write("/intel-rapl:0/constraint_0_max_power_uw", "65000000");
  EXPECT_DOUBLE_EQ(Find()->most_watts(), 130);
}

TEST_F(RaplTest, ACounterThatMayNotBeReadNamesTheRemedy) {
  tree_.Write("/intel-rapl:0/name", "package-0");
  tree_.MakeUnreadable("/intel-rapl:0/energy_uj");
  const Status status = FindRapl(tree_.root()).status();
  EXPECT_EQ(status.code(), StatusCode::kIo);
  EXPECT_NE(status.message().find("chmod"), std::string::npos);
}

TEST_F(RaplTest, SaysWhereThereIsNone) {
  EXPECT_EQ(FindRapl(tree_.root()).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(FindRapl(tree_.root() + "/no").status().message(),
            "no " + tree_.root() + "/no");
}

}  // namespace
}  // namespace stint
