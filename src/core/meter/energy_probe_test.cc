#include "core/meter/energy_probe.h"

#include <gtest/gtest.h>

#include "core/platform/clock.h"
#include "core/platform/file.h"
#include "core/platform/temporary_folder.h"

namespace stint {
namespace {

// A sysfs tree with counters that `load` may move.
class PowercapTree {
 public:
  PowercapTree() : folder_(TemporaryFolder::Make().value()) {}
  void Write(const std::string& counter, const std::string& microjoules) {
    const std::string path = JoinPath(folder_.path(), counter);
    ASSERT_TRUE(MakeDirectories(path).ok());
    ASSERT_TRUE(
        WriteFileAtomically(JoinPath(path, "energy_uj"), microjoules + "\n")
            .ok());
  }
  const std::string& root() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

// Returns once `ms` have passed, however busy the machine is.
void WaitMs(double ms) {
  const int64_t start = NowNs();
  while (MsSince(start) < ms) {
  }
}

TEST(EnergyProbe, TrustsACounterThatAdvancesUnderLoad) {
  PowercapTree tree;
  tree.Write("intel-rapl:0", "1000");
  tree.Write("intel-rapl:0:0", "1000");
  const EnergyMeter meter = ProbeEnergyMeter(tree.root(), [&] {
    WaitMs(20);
    tree.Write("intel-rapl:0", "1001000");    // 1 J
    tree.Write("intel-rapl:0:0", "1001000");  // part of the package
  });
  EXPECT_EQ(meter.grade, "A");
  EXPECT_EQ(meter.source, "RAPL intel-rapl:0");
}

TEST(EnergyProbe, DoesNotTrustACounterThatStays) {
  PowercapTree tree;
  tree.Write("intel-rapl:0", "0");
  const EnergyMeter meter = ProbeEnergyMeter(tree.root(), [] { WaitMs(20); });
  EXPECT_EQ(meter.grade, "E");
  EXPECT_NE(meter.source.find("do not advance"), std::string::npos);
}

TEST(EnergyProbe, SaysWhereThereIsNone) {
  PowercapTree tree;
  EXPECT_EQ(ProbeEnergyMeter(tree.root(), [] {}).grade, "E");
  const EnergyMeter missing = ProbeEnergyMeter(tree.root() + "/no", [] {});
  EXPECT_EQ(missing.grade, "E");
  EXPECT_EQ(missing.source, "no " + tree.root() + "/no");
}

}  // namespace
}  // namespace stint
