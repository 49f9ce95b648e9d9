#include "lab/bench/bench_report.h"

#include <gtest/gtest.h>

#include "core/platform/temporary_folder.h"
#include "lab/peers/peer_points.h"

namespace stint {
namespace {

class BenchReportTest : public testing::Test {
 protected:
  BenchReportTest() {
    study_.name = "bench";
    study_.conditions = CrossAxes({{"batch", {"1"}}});
    study_.rounds = 6;
  }

  // Enters a treatment that takes `times_ms` in every round.
  void Enter(const Setting& treatment, const std::vector<double>& times_ms,
             const std::string& check_status = "ok") {
    study_.treatments.push_back(treatment);
    const int64_t id = *database_.StudyId(study_);
    Outcome outcome;
    outcome.samples["run_ms"] = times_ms;
    outcome.status = check_status;
    for (int round = 0; round <= study_.rounds; ++round) {
      ASSERT_TRUE(
          database_
              .Record(id, {round, study_.conditions[0], treatment}, outcome)
              .ok());
      if (!outcome.ok()) break;
    }
  }

  BenchReport Report() { return MakeBenchReport(study_, &database_).value(); }

  TemporaryFolder folder_ = TemporaryFolder::Make().value();
  StudyDatabase database_ =
      StudyDatabase::Open(folder_.path() + "/bench.db").value();
  Study study_;
};

TEST_F(BenchReportTest, RatioIsToTheFastestCorrectFp32Peer) {
  Enter(PeerTreatment("wrong", "fp32"), {1}, "wrong");
  Enter(PeerTreatment("fast", "fp32"), {4});
  Enter(PeerTreatment("slow", "fp32"), {8});
  Enter(PeerTreatment("fast", "int8"), {2});
  Enter(PeerTreatment("stint", "fp32"), {3});
  const BenchReport report = Report();
  EXPECT_FALSE(report.rows[0].ratio_to_best_peer);
  EXPECT_NEAR(report.rows[2].ratio_to_best_peer->value, 2, 1e-12);
  EXPECT_NEAR(report.rows[3].ratio_to_best_peer->value, 0.5, 1e-12);
  EXPECT_NEAR(report.rows[4].ratio_to_best_peer->value, 0.75, 1e-12);
}

TEST_F(BenchReportTest, WhatTheStudyDidNotGetToIsUnfinished) {
  Enter(PeerTreatment("stint", "fp32"), {10});
  study_.treatments.push_back(PeerTreatment("late", "fp32"));
  const BenchReport report = Report();
  ASSERT_EQ(report.rows.size(), 2u);
  EXPECT_EQ(report.rows[0].status, "ok");
  EXPECT_EQ(report.rows[1].status, "unfinished");
}

TEST_F(BenchReportTest, SecondEntryIsTheNoiseAndNotARow) {
  Enter(PeerTreatment("stint", "fp32"), {10});
  Enter(PeerTreatment("stint", "fp32", 2), {10});
  const BenchReport report = Report();
  EXPECT_EQ(report.rows.size(), 1u);
  ASSERT_EQ(report.noise.size(), 1u);
  EXPECT_TRUE(report.noise[0].quiet());
}

TEST_F(BenchReportTest, AnEntryThatDiffersFromItselfIsTooNoisy) {
  Enter(PeerTreatment("stint", "fp32"), {10});
  Enter(PeerTreatment("stint", "fp32", 2), {10.5});
  EXPECT_EQ(Report().noise[0].verdict, NoiseVerdict::kNoisy);
}

TEST_F(BenchReportTest, OutliersAreCountedAndBothMeansShown) {
  Enter(PeerTreatment("stint", "fp32"), {1.0, 1.1, 0.9, 1.0, 50});
  const BenchRow row = Report().rows[0];
  EXPECT_EQ(row.outliers, 6);
  EXPECT_NEAR(*row.mean_ms, 10.8, 1e-9);
  EXPECT_NEAR(*row.mean_without_outliers_ms, 1.0, 1e-9);
  EXPECT_EQ(row.rounds, 6);
}

}  // namespace
}  // namespace stint
