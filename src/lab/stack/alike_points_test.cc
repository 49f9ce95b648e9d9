#include "lab/stack/alike_points.h"

#include <gtest/gtest.h>

#include "core/platform/file.h"
#include "core/platform/temporary_folder.h"
#include "lab/stack/contest.h"

namespace stint {
namespace {

std::vector<StepRecord> Steps(const std::string& kernel,
                              const std::string& schedule, double us) {
  return {{"c", "BlockedConv", us, kernel, "forced", "", schedule},
          {"r", "Relu", 1, "", "", "", ""}};
}

TEST(KernelsKey, IsThatOfKernelsAndSchedulesAlone) {
  const std::string key = KernelsKey(Steps("direct", "direct:t8x2", 4), 7);
  EXPECT_FALSE(key.empty());
  EXPECT_EQ(key, KernelsKey(Steps("direct", "direct:t8x2", 9), 7));
  EXPECT_NE(key, KernelsKey(Steps("spatial", "direct:t8x2", 4), 7));
  EXPECT_NE(key, KernelsKey(Steps("direct", "direct", 4), 7));
  EXPECT_NE(key, KernelsKey(Steps("direct", "direct:t8x2", 4), 8));
}

TEST(CountForced, CountsStepsOfThePrimitiveThatWasForced) {
  EXPECT_EQ(CountForced(Steps("direct", "direct:t8x2", 4)), 1);
  EXPECT_EQ(CountForced({{"c", "Conv", 1, "direct", "default", "", ""}}), 0);
  EXPECT_EQ(CountForced({{"r", "Relu", 1, "", "", "", ""}}), std::nullopt);
}

TEST(KernelsKey, IsEmptyWhereAConvolutionDoesNotSayWhatRunsIt) {
  EXPECT_EQ(KernelsKey({{"c", "Conv", 1, "", "", "", ""}}, 7), "");
}

// Three primitives by two codes on a model whose convolution is direct but for
// im2col; code makes no difference.
class AlikePoints : public testing::Test {
 protected:
  AlikePoints() {
    options_.models = {"m.onnx"};
    options_.compressions = {"none", "fp16"};
    options_.primitives = {"auto", "direct", "im2col"};
    options_.codes = {"default", "untuned"};
    options_.computes = {"all"};
    options_.database = JoinPath(folder_.path(), "s.db");
    runners_.prepare = [](const Point& point) -> Result<Outcome> {
      Outcome outcome;
      outcome.facts[kKernelsFact] =
          ValueOf(point.treatment, "primitive") == "im2col" ? "b" : "a";
      return outcome;
    };
    runners_.evaluate = [this](const Point&,
                               const Outcome& prepared) -> Result<Outcome> {
      if (++evaluated_ > most_) return InternalError("killed");
      Outcome outcome = prepared;
      outcome.samples["value"] = {0.9};
      outcome.samples["run_ms_p50"] = {static_cast<double>(evaluated_)};
      return outcome;
    };
  }

  Result<StackReport> Run() {
    return RunStackStudy(options_, runners_, [](int64_t, int64_t) {});
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().value();
  StackStudyOptions options_;
  StackRunners runners_;
  int evaluated_ = 0;
  int most_ = 1000;
};

TEST_F(AlikePoints, AreEvaluatedOncePerCompression) {
  const StackReport report = Run().value();
  EXPECT_EQ(evaluated_, 2 * 2);
  EXPECT_EQ(report.evaluated, 4);
  EXPECT_EQ(report.taken_over, 8);
  EXPECT_EQ(report.count.done, 12);
}

TEST_F(AlikePoints, AreTimedOncePerCompressionAndRoundAndNeverEvaluatedAgain) {
  int timed = 0;
  runners_.time = [&](const Point& point) -> Result<Outcome> {
    ++timed;
    Outcome outcome;
    const bool slow = ValueOf(point.treatment, "primitive") == "im2col";
    outcome.samples[kBlockSample] = {slow ? 4.0 : 2.0};
    return outcome;
  };
  const StackReport report = Run().value();
  EXPECT_EQ(evaluated_, 2 * 2);
  EXPECT_EQ(timed, 2 * 2 * kTimingLooks[0]);
  EXPECT_EQ(report.evaluated, 4);
  EXPECT_EQ(report.timing_rounds, kTimingLooks[0]);
  for (const StackRow& row : report.rows) {
    EXPECT_EQ(row.Figure(kTimeFigure),
              row.Value("primitive") == "im2col" ? 4 : 2);
  }
  timed = 0;
  options_.resume = true;
  EXPECT_EQ(Run().value().timing_rounds, kTimingLooks[0]);
  EXPECT_EQ(timed, 0);
}

TEST_F(AlikePoints, OnlyContendersOfUndecidedContestsAreTimedOn) {
  options_.compressions = {"none"};
  options_.codes = {"default"};
  options_.primitives = {"direct", "im2col", "sparse"};
  runners_.prepare = [](const Point& point) -> Result<Outcome> {
    Outcome outcome;
    outcome.facts[kKernelsFact] = ValueOf(point.treatment, "primitive");
    return outcome;
  };
  std::map<std::string, int> timed;
  runners_.time = [&](const Point& point) -> Result<Outcome> {
    const std::string primitive = ValueOf(point.treatment, "primitive");
    ++timed[primitive];
    Outcome outcome;
    // Now one is ahead, now the other.
    const double ms = primitive == "sparse"   ? 9
                      : primitive == "direct" ? 1
                      : point.round % 2 == 0  ? 1.3
                                              : 0.9;
    outcome.samples[kBlockSample] = {ms};
    return outcome;
  };
  const StackReport report = Run().value();
  EXPECT_EQ(timed, (std::map<std::string, int>{
                       {"direct", 128}, {"im2col", 128}, {"sparse", 16}}));
  EXPECT_EQ(report.undecided, 1);
}

TEST_F(AlikePoints, TakeOverFiguresAndSayWhose) {
  const StackReport report = Run().value();
  ASSERT_EQ(report.rows.size(), 12u);
  for (const StackRow& row : report.rows) {
    ASSERT_TRUE(row.ok());
    if (row.alike.empty()) continue;
    bool found = false;
    for (const StackRow& other : report.rows) {
      if (other.Value("primitive") + "/" + other.Value("code") != row.alike ||
          other.Value("compression") != row.Value("compression")) {
        continue;
      }
      found = true;
      EXPECT_TRUE(other.alike.empty());
      EXPECT_EQ(other.Figure("run_ms_p50"), row.Figure("run_ms_p50"));
      EXPECT_EQ(other.Value("primitive") == "im2col",
                row.Value("primitive") == "im2col");
    }
    EXPECT_TRUE(found) << row.alike;
  }
}

TEST_F(AlikePoints, AStudyThatWasStoppedGoesOnWithWhatItHas) {
  most_ = 3;
  EXPECT_FALSE(Run().ok());
  most_ = 1000;
  evaluated_ = 0;
  options_.resume = true;
  EXPECT_EQ(Run().value().evaluated, 4);
  EXPECT_EQ(evaluated_, 1);
}

TEST_F(AlikePoints, ExactlyEachIsEvaluatedWhenAskedFor) {
  options_.exact = true;
  EXPECT_EQ(Run().value().evaluated, 12);
  EXPECT_EQ(evaluated_, 12);
}

TEST_F(AlikePoints, OneThatFailedIsTakenOverByNone) {
  runners_.evaluate = [this](const Point&, const Outcome& prepared) {
    ++evaluated_;
    Outcome outcome = prepared;
    outcome.status = "crashed";
    return Result<Outcome>(outcome);
  };
  EXPECT_EQ(Run().value().count.failed, 12);
  EXPECT_EQ(evaluated_, 12);
}

TEST_F(AlikePoints, ThoseOfWhichNothingIsKnownAreEvaluated) {
  runners_.prepare = [](const Point&) { return Result<Outcome>(Outcome()); };
  EXPECT_EQ(Run().value().taken_over, 0);
  EXPECT_EQ(evaluated_, 12);
}

TEST_F(AlikePoints, WhatIsUnsupportedIsDoneAndNotEvaluated) {
  runners_.prepare = [](const Point&) {
    Outcome outcome;
    outcome.status = "unsupported";
    outcome.facts[kDeviceFact] = "a device";
    return Result<Outcome>(outcome);
  };
  const StackReport report = Run().value();
  EXPECT_EQ(report.count.failed, 0);
  EXPECT_EQ(report.count.done, 12);
  EXPECT_EQ(evaluated_ + report.evaluated + report.taken_over, 0);
  EXPECT_EQ(report.devices.at("all"), "a device");
}

}  // namespace
}  // namespace stint
