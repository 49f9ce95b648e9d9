#include "lab/tax/tax_report.h"

#include <gtest/gtest.h>

#include "core/platform/temporary_folder.h"
#include "lab/peers/peer_points.h"

namespace stint {
namespace {

// A study of made-up runtimes: 2 ms fixed and 1 ms per item in stint, 3 ms more
// with the delay (30 kernels of 100 us), and a peer that fails at one batch.
class TaxReportTest : public testing::Test {
 protected:
  TaxReportTest() {
    study_.name = "framework-tax";
    for (const char* batch : {"1", "2", "4", "8"}) {
      study_.conditions.push_back({{"model", "net"}, {"batch", batch}});
    }
    study_.conditions.push_back({{"model", "net/tiny"}, {"batch", "1"}});
    study_.rounds = 6;
    study_.treatments = {PeerTreatment("peer", "fp32"),
                         PeerTreatment("stint", "fp32"),
                         PeerTreatment("stint:delay=100us", "fp32"),
                         PeerTreatment("stint", "fp32", 2)};
  }

  static Outcome Run(const Point& point) {
    const std::string runtime = ValueOf(point.treatment, "runtime");
    const double batch = std::stod(ValueOf(point.condition, "batch"));
    const bool tiny = ValueOf(point.condition, "model") == "net/tiny";
    Outcome outcome;
    outcome.facts["version"] = "1";
    outcome.samples[kMacsSample] = {1000};
    outcome.samples[kNodesSample] = {40};
    if (runtime == "peer" && batch == 8) {
      outcome.status = "crashed";
      outcome.reason = "SIGKILL";
      return outcome;
    }
    const double delay = runtime == "stint:delay=100us" ? 3 : 0;
    const double kernels = tiny ? 0.01 : 1.5 + batch;
    const double run_ms = kernels + (tiny ? 0.1 : 0.5) + delay;
    // Some runs are disturbed.
    outcome.samples["run_ms"] = {run_ms, run_ms, run_ms, 9 * run_ms};
    outcome.samples["kernel_ms"] = {kernels, kernels};
    outcome.samples["profiled_ms"] = {run_ms * 1.01};
    outcome.samples["kernels"] = {30};
    return outcome;
  }

  TaxReport Report() {
    EXPECT_TRUE(RunStudy(
                    study_, &database_, [](const Point& p) { return Run(p); },
                    [](int64_t, int64_t) {})
                    .ok());
    return MakeTaxReport(study_, &database_).value();
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().value();
  StudyDatabase database_ =
      StudyDatabase::Open(folder_.path() + "/tax.db").value();
  Study study_;
};

TEST_F(TaxReportTest, EveryEstimatorFindsTheKnownOverhead) {
  const TaxReport report = Report();
  ASSERT_EQ(report.recovered.size(), 4u);
  for (const RecoveredOverhead& row : report.recovered) {
    EXPECT_NEAR(row.injected_ms, 3, 1e-9);
    EXPECT_NEAR(row.recovered_ms, 3, 0.01) << row.estimator;
  }
}

TEST_F(TaxReportTest, CurvesHaveTheirFitTwinAndKernelTime) {
  const TaxReport report = Report();
  const TaxCurve& curve = report.curves[1];
  EXPECT_EQ(curve.runtime, "stint");
  ASSERT_EQ(curve.points.size(), 4u);
  EXPECT_NEAR(curve.points[0].run_ms.value, 3, 1e-9);
  EXPECT_NEAR(*curve.points[3].outside_ms(), 0.5, 1e-9);
  EXPECT_NEAR(*curve.HingeMs(), 2, 1e-6);
  EXPECT_NEAR(curve.twin_ms->value, 0.11, 1e-9);
  EXPECT_EQ(curve.size.nodes, 40);
}

TEST_F(TaxReportTest, AFailureIsSaidAndTheOtherPointsStay) {
  const TaxReport report = Report();
  const TaxCurve& curve = report.curves[0];
  EXPECT_EQ(curve.status, "crashed");
  EXPECT_EQ(curve.reason, "model=net batch=8: SIGKILL");
  EXPECT_EQ(curve.points.size(), 3u);
}

TEST_F(TaxReportTest, TheSecondEntryIsTheNoise) {
  const TaxReport report = Report();
  EXPECT_EQ(report.curves.size(), 3u);
  ASSERT_EQ(report.noise.size(), 1u);
  EXPECT_EQ(ValueOf(report.noise[0].condition, "model"), "net");
  EXPECT_DOUBLE_EQ(report.noise[0].ratio.value, 1);
  EXPECT_TRUE(AllQuiet(report.noise));
}

TEST_F(TaxReportTest, RatiosAreToStintAtTheSameSize) {
  const TaxReport report = Report();
  const TaxCurve& peer = report.curves[0];
  ASSERT_TRUE(peer.points[0].ratio_to_stint);
  EXPECT_DOUBLE_EQ(peer.points[0].ratio_to_stint->value, 1);
  const TaxCurve& delayed = report.curves[2];
  EXPECT_NEAR(delayed.points[0].ratio_to_stint->value, 2, 1e-9);
  EXPECT_FALSE(report.curves[1].points[0].ratio_to_stint);
}

TEST_F(TaxReportTest, WhatTheStudyDidNotGetToIsUnfinished) {
  const TaxReport report = MakeTaxReport(study_, &database_).value();
  EXPECT_EQ(report.curves[0].status, "unfinished");
  EXPECT_TRUE(report.recovered.empty());
}

// Two processes of each batch, one of them disturbed: the quickest tell.
TEST_F(TaxReportTest, TheHingeFindsTheOverheadBesideADisturbance) {
  EXPECT_TRUE(RunStudy(
                  study_, &database_,
                  [](const Point& p) {
                    Outcome outcome = Run(p);
                    if (p.round == 2) {
                      for (double& ms : outcome.samples["run_ms"]) ms *= 1.6;
                    }
                    return outcome;
                  },
                  [](int64_t, int64_t) {})
                  .ok());
  const TaxReport report = MakeTaxReport(study_, &database_).value();
  ASSERT_EQ(report.recovered[0].estimator, "hinge");
  EXPECT_NEAR(report.recovered[0].recovered_ms, 3, 0.01);
}

}  // namespace
}  // namespace stint
