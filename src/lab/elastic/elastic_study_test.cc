// The evaluators here stand for `stint eval`: the study and its figures are
// what is tested. tests/cli/study_test.py runs the real one.
#include "lab/elastic/elastic_study.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/platform/temporary_folder.h"
#include "lab/elastic/accuracy_chart.h"
#include "lab/elastic/eval_process.h"
#include "lab/record/eval_record.h"

namespace stint {
namespace {

Outcome Answer(const std::string& right) {
  const auto correct =
      static_cast<double>(std::count(right.begin(), right.end(), '1'));
  Outcome outcome;
  outcome.facts["metric"] = "accuracy";
  outcome.files[kRightFile] = right;
  outcome.samples = {{"value", {correct / static_cast<double>(right.size())}},
                     {"predicted_ms", {12}},
                     {"run_ms_p50", {10}},
                     {"run_ms_p95", {16}},
                     {"peak_rss_bytes", {9e6}}};
  return outcome;
}

Outcome Infeasible() {
  return EvalOutcome(
      {false, {4, 0}, "", "eval: 1 of 2\nstint: nothing fits\n"});
}

// `ones` rows right, then `zeros` wrong.
std::string Right(int ones, int zeros) {
  return std::string(static_cast<size_t>(ones), '1') +
         std::string(static_cast<size_t>(zeros), '0');
}

class ElasticStudyTest : public testing::Test {
 protected:
  ElasticStudyTest() {
    options_.models = {"m.stint"};
    options_.latencies = {"10ms", "20ms"};
    options_.memories = {"8MB", "16MB"};
    options_.storages = {"80MB/s,100us"};
    options_.computes = {"all"};
    options_.policies = {"elastic", "sti", "pipeline:4"};
    options_.database = folder_.path() + "/study.db";
  }

  Result<ElasticReport> Run(const PointRunner& evaluate) {
    return RunElasticStudy(options_, {evaluate, nullptr},
                           [](int64_t, int64_t) {});
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().value();
  ElasticStudyOptions options_;
};

bool Is(const Point& point, const char* policy) {
  return ValueOf(point.treatment, "policy") == policy;
}
bool Has(const Point& point, const char* axis, const char* value) {
  return ValueOf(point.condition, axis) == value;
}

TEST_F(ElasticStudyTest, EveryPointRunsOnceAndResumeRunsOnlyTheRest) {
  int runs = 0;
  const auto stopped = Run([&](const Point&) -> Result<Outcome> {
    if (++runs == 5) return Cancelled("interrupted");
    return Answer("11");
  });
  EXPECT_EQ(stopped.status().code(), StatusCode::kCancelled);
  options_.resume = true;
  runs = 0;
  const auto report = Run([&](const Point&) {
    ++runs;
    return Answer("11");
  });
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(runs, 12 - 4);
  EXPECT_EQ(report->count.points, 12);
  EXPECT_EQ(report->count.done, 12);
  EXPECT_EQ(report->rows.size(), 12u);
}

TEST_F(ElasticStudyTest, WithoutResumeADatabaseWithPointsIsRefused) {
  ASSERT_TRUE(Run([](const Point&) { return Answer("1"); }).ok());
  const auto again = Run([](const Point&) { return Answer("1"); });
  EXPECT_EQ(again.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(again.status().message().find("has 12 points"), std::string::npos);
}

TEST_F(ElasticStudyTest, InfeasibleIsAnOutcomeThatCountsAsChance) {
  const auto report = Run([](const Point& point) {
    if (Is(point, "sti") && Has(point, "memory", "8MB")) return Infeasible();
    return Answer(Right(9, 1));
  });
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->count.done, 12);
  EXPECT_EQ(report->count.failed, 0);
  const PolicySummary& sti = report->policies[1];
  EXPECT_EQ(sti.feasible, 2);
  EXPECT_EQ(sti.infeasible, 2);
  EXPECT_DOUBLE_EQ(sti.mean_value, (0.9 + 0.5) / 2);
  const ElasticRow& row = report->rows[1];
  EXPECT_EQ(row.status, "infeasible");
  EXPECT_EQ(row.reason, "stint: nothing fits");
  EXPECT_EQ(row.Figure("exit_code"), 4);
}

TEST_F(ElasticStudyTest, AFailureIsCountedWithItsReason) {
  const auto report = Run([](const Point& point) {
    return Is(point, "sti") ? EvalOutcome({false, {0, 11}, "", ""})
                            : Answer("1");
  });
  EXPECT_EQ(report->count.failed, 4);
  EXPECT_EQ(report->policies[1].failed, 4);
  EXPECT_EQ(report->rows[1].status, "crashed");
  EXPECT_EQ(report->rows[1].reason, "SIGSEGV");
}

TEST_F(ElasticStudyTest, NamesConditionsThatOnlyOthersCanMeet) {
  const auto report = Run([](const Point& point) {
    const bool small =
        Has(point, "memory", "8MB") && Has(point, "latency", "10ms");
    return small && Is(point, "elastic") ? Infeasible() : Answer("11");
  });
  ASSERT_EQ(report->only_others.size(), 1u);
  EXPECT_EQ(ValueOf(report->only_others[0].condition, "latency"), "10ms");
  EXPECT_EQ(report->only_others[0].other, "sti");
}

// 20 rows that only the other has right: p = 2 / 2^20, times 4 conditions.
TEST_F(ElasticStudyTest, NamesWhereOursIsSignificantlyWorse) {
  const auto report = Run([](const Point& point) {
    const bool bad = Has(point, "memory", "8MB") && Is(point, "elastic") &&
                     Has(point, "latency", "10ms");
    return Answer(bad ? Right(60, 40) : Right(80, 20));
  });
  EXPECT_EQ(report->compared, 4);
  ASSERT_EQ(report->significantly_worse.size(), 1u);
  EXPECT_NEAR(report->significantly_worse[0].p, 4 * 2 / std::pow(2, 20), 1e-12);
  EXPECT_DOUBLE_EQ(report->significantly_worse[0].ours, 0.6);
}

TEST_F(ElasticStudyTest, BetterIsNotWorse) {
  const auto report = Run([](const Point& point) {
    return Answer(Is(point, "elastic") ? Right(95, 5) : Right(60, 40));
  });
  EXPECT_TRUE(report->significantly_worse.empty());
  EXPECT_EQ(report->hard_conditions, 4);
  EXPECT_NEAR(report->gain_where_hard, 0.35, 1e-12);
}

TEST_F(ElasticStudyTest, ComparesPredictionsAndBudgetsWithMeasurements) {
  const auto report = Run([](const Point&) { return Answer("1"); });
  const PolicySummary& ours = report->policies[0];
  EXPECT_NEAR(ours.latency_error_p50, 0.2, 1e-12);
  EXPECT_NEAR(ours.latency_error_p95, 0.25, 1e-12);
  EXPECT_EQ(ours.with_memory, 4);
  EXPECT_EQ(ours.over_memory, 2);  // 9 MB in 8 MB
}

TEST_F(ElasticStudyTest, RoundsGiveMediansAndTheLargestPeak) {
  options_.rounds = 3;
  const auto report = Run([](const Point& point) {
    Outcome outcome = Answer("10");
    outcome.samples["run_ms_p50"] = {point.round == 2 ? 50.0 : point.round};
    outcome.samples["peak_rss_bytes"] = {1e6 * point.round};
    return outcome;
  });
  EXPECT_EQ(report->count.points, 36);
  EXPECT_EQ(report->rows[0].Figure("run_ms_p50"), 3);
  EXPECT_EQ(report->rows[0].Figure("peak_rss_bytes"), 3e6);
}

int Count(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST_F(ElasticStudyTest, ChartHasACurvePerMemoryAndPolicyThatHasAnswers) {
  const auto report = Run([](const Point& point) {
    if (Is(point, "sti") && Has(point, "memory", "8MB")) return Infeasible();
    return Answer(Right(9, 1));
  });
  const std::string svg = AccuracyChart(*report);
  EXPECT_EQ(Count(svg, "<polyline"), 2 * 3 - 1);
  EXPECT_EQ(Count(svg, "<circle"), 12 - 2);
  EXPECT_EQ(Count(svg, ">8MB</text>"), 1);
  EXPECT_EQ(Count(svg, "nothing fits"), 0);
}

TEST_F(ElasticStudyTest, ValuesThatCannotBeReadAreNamedBeforeAnythingRuns) {
  const auto runs = [](const Point&) -> Result<Outcome> {
    return InternalError("ran");
  };
  options_.latencies = {"fast"};
  EXPECT_NE(Run(runs).status().message().find("'fast'"), std::string::npos);
  options_.latencies = {"none"};
  options_.computes = {"gpu"};
  EXPECT_NE(Run(runs).status().message().find("'gpu'"), std::string::npos);
}

TEST_F(ElasticStudyTest, CommandHasTheBudgetsOfThePoint) {
  options_.stint_executable = "stint";
  options_.data = "dev.tsv";
  options_.rows = 10;
  const Point point{1,
                    {{"model", "m.stint"},
                     {"storage", "none"},
                     {"compute", "avx2-1thread"},
                     {"memory", "8MB"},
                     {"latency", "10ms"}},
                    {{"policy", "sti"}}};
  const auto command = EvalCommand(options_, point);
  ASSERT_TRUE(command.ok());
  std::string text;
  for (const std::string& word : *command) text += word + " ";
  EXPECT_EQ(text,
            "stint eval m.stint --task sst2 --data dev.tsv --format json "
            "--right --latency 10ms --memory 8MB --policy sti --percentile 95 "
            "--max-length 64 --pad --rows 10 --isa avx2 --threads 1 ");
}

TEST_F(ElasticStudyTest, PoliciesOf32BitsRunThePlainFileOfTheModel) {
  options_.models = {"a.stint", "b.stint"};
  options_.policies = {"elastic", "pipeline:32"};
  EXPECT_EQ(MakeElasticStudy(options_).status().message(),
            "policy pipeline:32 needs --full F.stint, a plain package of the "
            "same model");
  options_.fulls = {"a32.stint"};
  EXPECT_EQ(MakeElasticStudy(options_).status().message(),
            "1 plain files for 2 models");
  options_.fulls = {"a32.stint", "b32.stint"};
  ASSERT_TRUE(MakeElasticStudy(options_).ok());
  Point point;
  point.condition = {{"model", "b.stint"},
                     {"latency", "10ms"},
                     {"memory", "8MB"},
                     {"storage", "none"},
                     {"compute", "all"}};
  point.treatment = {{"policy", "pipeline:32"}};
  const auto command = EvalCommand(options_, point);
  ASSERT_TRUE(command.ok());
  const auto full = std::find(command->begin(), command->end(), "--full");
  ASSERT_NE(full, command->end());
  EXPECT_EQ(*(full + 1), "b32.stint");
}

TEST(EvalOutcome, TakesFiguresOfAnswerAndPlan) {
  EvalRecord record;
  record.metric = "accuracy";
  record.value = 0.5;
  record.bytes_read = 7;
  record.right = "10";
  record.kept.emplace();
  Json json = ToJson(record);
  PlanReport plan;
  plan.mean_bits = 2.5;
  json["plan"] = PlanJson(plan);
  const Outcome outcome = EvalOutcome({false, {0, 0}, json.dump(), ""});
  EXPECT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.Sample("bytes_read"), 7);
  EXPECT_EQ(outcome.Sample("bits_mean"), 2.5);
  EXPECT_FALSE(outcome.Sample("predicted_ms"));
  EXPECT_EQ(outcome.files.at(kRightFile), "10");
}

TEST(EvalOutcome, AMissingKeyIsAFailureThatNamesIt) {
  Json json = ToJson(EvalRecord());
  json.erase("total");
  const Outcome outcome = EvalOutcome({false, {0, 0}, json.dump(), ""});
  EXPECT_EQ(outcome.status, "failed");
  EXPECT_EQ(outcome.reason, "key 'total' is missing");
}

TEST(EvalOutcome, WhatIsNoJsonIsAFailure) {
  const Outcome outcome = EvalOutcome({false, {0, 0}, "accuracy 0.5", ""});
  EXPECT_EQ(outcome.status, "failed");
  EXPECT_NE(outcome.reason.find("accuracy 0.5"), std::string::npos);
}

}  // namespace
}  // namespace stint
