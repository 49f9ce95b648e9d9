#include "lab/energy/energy_report.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/random.h"
#include "core/platform/temporary_folder.h"
#include "lab/energy/energy_study.h"
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
    study_.treatments.push_back(PeerTreatment("stint", "fp32"));
    study_.treatments.push_back(PeerTreatment("stint", "fp32", 2));
    study_.rounds = 10;
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
  EXPECT_EQ(report.rows[0].rank, 4);
  EXPECT_EQ(report.rows[1].rank, 1);
  EXPECT_EQ(report.rows[2].rank, 2);
  EXPECT_EQ(report.rows[4].rank, 2);  // stint takes as much
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
  EXPECT_NEAR(report.rows[0].ratio_to_stint->value, 2, 0.03);
  ASSERT_EQ(report.noise.size(), 1u);
  EXPECT_DOUBLE_EQ(report.noise[0].ratio.value, 1);
  EXPECT_TRUE(report.noise[0].quiet());
}

TEST_F(EnergyReportTest, TestsOfAllPairsAreCorrected) {
  const EnergyStudyReport report = Report([](const std::string&, Outcome*) {});
  ASSERT_EQ(report.pairs.size(), 6u);
  for (const EnergyPair& pair : report.pairs) {
    ASSERT_TRUE(pair.p);
    if (pair.a == "middle" && pair.b == "stint") {  // the same in all rounds
      EXPECT_DOUBLE_EQ(*pair.p, 1);
      EXPECT_EQ(pair.proven, 0);
      continue;
    }
    // Ten rounds of one sign: 2 / 1024, six pairs.
    EXPECT_NEAR(*pair.p, 6 * 2.0 / 1024, 1e-9);
    EXPECT_DOUBLE_EQ(std::abs(pair.delta), 1);
    EXPECT_EQ(std::abs(pair.proven), 1);
  }
  EXPECT_LT(report.differences.begin()->second.p, 0.01);
  EXPECT_DOUBLE_EQ(report.metric_with_time, 1);
}

TEST_F(EnergyReportTest, TooFewRoundsAreNotTestedAndThatIsSaid) {
  study_.rounds = 7;
  for (const EnergyPair& pair :
       Report([](const std::string&, Outcome*) {}).pairs) {
    EXPECT_FALSE(pair.p);
    EXPECT_EQ(pair.rounds, 7);
    EXPECT_EQ(pair.needs_rounds, 8);
  }
}

// The machine drifts by half while the runtimes differ by 3 %: only the rounds
// show it.
TEST_F(EnergyReportTest, DifferencesWithinRoundsAreFoundAndOthersAreNot) {
  study_.rounds = 10;
  Random random(3);
  const EnergyStudyReport report =
      Report([&](const std::string& runtime, Outcome* outcome) {
        const double before = outcome->samples["cpu_ms"][0];
        const long round = std::lround(100 * (before - std::floor(before)));
        const double machine = 1 + 0.05 * static_cast<double>(7 * round % 10);
        const double more = runtime == "slow" ? 1.03 : 1;
        outcome->samples["cpu_ms"] = {machine * more *
                                      (1 + 0.005 * random.NextNormal())};
      });
  for (const EnergyPair& pair : report.pairs) {
    ASSERT_TRUE(pair.p);
    if (pair.a == "slow") {
      EXPECT_LT(*pair.p, kSignificant) << pair.b;
    } else {
      EXPECT_GT(*pair.p, kSignificant) << pair.a << " " << pair.b;
    }
  }
}

TEST_F(EnergyReportTest, ThereAreNoRanksWithoutTheNoise) {
  study_.treatments.pop_back();
  const EnergyStudyReport report = Report([](const std::string&, Outcome*) {});
  for (const EnergyRow& row : report.rows) EXPECT_FALSE(row.rank);
  EXPECT_EQ(WhyNoRanks(report, study_.conditions[0]),
            "no ranks: the noise of cpu_ms is unknown");
}

TEST_F(EnergyReportTest, ThereAreNoRanksBelowWhatTheRunResolves) {
  int process = 0;
  const EnergyStudyReport report =
      Report([&](const std::string& runtime, Outcome* outcome) {
        // stint against itself is off by up to 10 %, the others by 2 %.
        const double noise = runtime == "stint" ? 0.1 * (process++ % 2) : 0;
        const double more = runtime == "slow" ? 0.02 : 0;
        outcome->samples["cpu_ms"] = {1 + noise + more};
      });
  ASSERT_EQ(report.metric_noise.size(), 1u);
  EXPECT_GT(*report.metric_noise[0].Resolution(), 0.05);
  for (const EnergyRow& row : report.rows) EXPECT_FALSE(row.rank);
  EXPECT_EQ(WhyNoRanks(report, study_.conditions[0]),
            "no ranks: no difference is proven beyond the noise");
}

TEST_F(EnergyReportTest, NetEnergyBelowResolutionIsSaidAndNotRanked) {
  const EnergyStudyReport report =
      Report([](const std::string& runtime, Outcome* outcome) {
        outcome->facts["energy_grade"] = "A";
        outcome->samples["net_joules"] = {runtime == "quick" ? 0.1 : 2};
        outcome->samples["net_joules_error"] = {0.06};
      });
  EXPECT_EQ(report.rows[1].below_resolution, true);
  EXPECT_FALSE(report.rows[1].rank);
  EXPECT_EQ(report.rows[0].below_resolution, false);
}

// The default rounds of a study of seven runtimes, all of one sign.
TEST(EnergyOptions, TheDefaultRoundsCanTellSevenRuntimesApart) {
  for (bool quick : {false, true}) {
    EnergyStudyOptions options;
    FillEnergyOptions(quick, true, &options);
    EXPECT_GE(options.rounds, PairsForWilcoxon(kSignificant / 21));
  }
}

}  // namespace
}  // namespace stint
