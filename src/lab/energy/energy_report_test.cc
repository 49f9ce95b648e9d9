#include "lab/energy/energy_report.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/platform/temporary_folder.h"
#include "lab/peers/peer_points.h"

namespace stint {
namespace {

// Runtimes whose processes take 1, 2 and 4 CPU milliseconds or so.
class EnergyReportTest : public testing::Test {
 protected:
  EnergyReportTest() {
    study_.name = "energy";
    study_.conditions = {{{"model", "net"}, {"batch", "4"}}};
    for (const char* runtime : {"slow", "quick", "middle", "broken"}) {
      study_.treatments.push_back(PeerTreatment(runtime, "fp32"));
    }
    study_.rounds = 6;
  }

  EnergyStudyReport Report(
      const std::function<void(const std::string& runtime, Outcome*)>& meter) {
    const std::map<std::string, double> cpu = {
        {"slow", 4}, {"quick", 1}, {"middle", 2}, {"stint", 2}, {"broken", 0}};
    const auto run = [&](const Point& point) {
      const std::string runtime = ValueOf(point.treatment, "runtime");
      Outcome outcome;
      if (runtime == "broken") {
        outcome.status = "missing";
        outcome.reason = "no package";
        return outcome;
      }
      const double ms = cpu.at(runtime) + 0.01 * point.round;
      outcome.samples["run_ms"] = {ms, ms};
      outcome.samples["cpu_ms"] = {ms};
      meter(runtime, &outcome);
      return outcome;
    };
    EXPECT_TRUE(
        RunStudy(study_, &database_, run, [](int64_t, int64_t) {}).ok());
    return MakeEnergyStudyReport(study_, &database_).value();
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().value();
  StudyDatabase database_ =
      StudyDatabase::Open(folder_.path() + "/energy.db").value();
  Study study_;
};

TEST_F(EnergyReportTest, WithoutAMeterCpuTimeIsRankedAndThatIsSaid) {
  const EnergyStudyReport report =
      Report([](const std::string&, Outcome* outcome) {
        outcome->facts["energy_grade"] = "E";
      });
  EXPECT_EQ(report.metric, "cpu_ms");
  EXPECT_NE(report.note.find("no joule was measured"), std::string::npos);
  EXPECT_EQ(report.rows[0].rank, 3);
  EXPECT_EQ(report.rows[1].rank, 1);
  EXPECT_EQ(report.rows[2].rank, 2);
  EXPECT_FALSE(report.rows[3].rank);
  EXPECT_EQ(report.rows[3].status, "missing");
}

TEST_F(EnergyReportTest, JoulesOfOneGradeAreRankedPerItem) {
  const EnergyStudyReport report =
      Report([](const std::string& runtime, Outcome* outcome) {
        outcome->facts["energy_grade"] = "A";
        const double joules = runtime == "slow" ? 1 : 2;
        outcome->samples["gross_joules"] = {2 * joules};
        outcome->samples["net_joules"] = {joules};
        outcome->samples["mean_watts"] = {30};
      });
  EXPECT_EQ(report.metric, "net_joules");
  EXPECT_EQ(report.rows[0].rank, 1);
  EXPECT_DOUBLE_EQ(*report.rows[0].net_joules, 0.25);  // of 4 items
}

TEST_F(EnergyReportTest, GradesAreNotMixed) {
  const EnergyStudyReport report =
      Report([](const std::string& runtime, Outcome* outcome) {
        outcome->facts["energy_grade"] = runtime == "slow" ? "A" : "B";
        outcome->samples["net_joules"] = {1};
      });
  EXPECT_EQ(report.metric, "cpu_ms");
  EXPECT_NE(report.note.find("grades AB are not compared"), std::string::npos);
}

TEST_F(EnergyReportTest, StintTwiceIsTheNoiseAndOthersAreRatiosToIt) {
  study_.treatments = {PeerTreatment("slow", "fp32"),
                       PeerTreatment("stint", "fp32"),
                       PeerTreatment("stint", "fp32", 2)};
  const EnergyStudyReport report = Report([](const std::string&, Outcome*) {});
  ASSERT_EQ(report.rows.size(), 2u);
  EXPECT_NEAR(report.rows[0].ratio_to_stint->value, 2, 0.02);
  ASSERT_EQ(report.noise.size(), 1u);
  EXPECT_DOUBLE_EQ(report.noise[0].ratio.value, 1);
  EXPECT_FALSE(report.noise[0].too_noisy);
}

TEST_F(EnergyReportTest, TestsOfAllPairsAreCorrected) {
  const EnergyStudyReport report = Report([](const std::string&, Outcome*) {});
  ASSERT_EQ(report.pairs.size(), 3u);
  for (const EnergyPair& pair : report.pairs) {
    // Six against six without overlap: 2 / 924, three pairs.
    EXPECT_NEAR(pair.p, 3 * 2.0 / 924, 1e-9);
    EXPECT_DOUBLE_EQ(std::abs(pair.delta), 1);
  }
  EXPECT_LT(report.differences.begin()->second.p, 0.01);
  EXPECT_DOUBLE_EQ(report.metric_with_time, 1);
}

}  // namespace
}  // namespace stint
