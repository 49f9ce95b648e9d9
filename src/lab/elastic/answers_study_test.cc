#include "lab/elastic/answers_study.h"

#include <gtest/gtest.h>

#include "core/platform/temporary_folder.h"
#include "engine/plan/plan_answers.h"
#include "lab/elastic/eval_process.h"

namespace stint {
namespace {

// The timed rows of a point whose plan has one layer of two units.
Outcome Timed(const char* units) {
  Outcome outcome;
  outcome.samples = {{"value", {1}}, {"total", {2}}, {"run_ms_p50", {10}}};
  outcome.files[kRightFile] = "11";
  const std::string plan =
      "stint-plan 1\nmodel 1\npolicy sti\nring-bytes 4096\nlayer " +
      std::string(units) + "\nend\n";
  EXPECT_TRUE(AddPlan(plan, &outcome).ok());
  return outcome;
}

Outcome AllRows(double value, const char* right) {
  Outcome outcome;
  outcome.facts["metric"] = "accuracy";
  outcome.samples = {{"value", {value}}, {"total", {4}}, {"run_ms_p50", {3}}};
  outcome.files[kRightFile] = right;
  return outcome;
}

class AnswersStudyTest : public testing::Test {
 protected:
  AnswersStudyTest() {
    options_.models = {"m.stint"};
    options_.latencies = {"10ms", "20ms"};
    options_.memories = {"8MB"};
    options_.storages = {"none"};
    options_.computes = {"all", "avx2-1thread"};
    options_.policies = {"elastic", "pipeline:2"};
    options_.database = folder_.path() + "/study.db";
  }

  // Ours pins, the other streams; at 20 ms ours has another unit.
  static Result<Outcome> Time(const Point& point) {
    if (ValueOf(point.treatment, "policy") != "elastic") return Timed("s-");
    return Timed(ValueOf(point.condition, "latency") == "20ms" ? "ps" : "p-");
  }

  Result<ElasticReport> Run() {
    const auto answer = [&](const Point& point,
                            const std::string& plan) -> Result<Outcome> {
      ++answered_;
      if (answered_ == stop_at_) return Cancelled("interrupted");
      EXPECT_EQ(ValueOf(point.condition, kAnswersFact),
                AnswersKey(ParseSavedPlan(plan).value()));
      const bool more = plan.find("layer pp") != std::string::npos;
      return more ? AllRows(0.75, "1110") : AllRows(0.5, "1100");
    };
    return RunElasticStudy(options_, {Time, answer}, [](int64_t, int64_t) {});
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().value();
  ElasticStudyOptions options_;
  int answered_ = 0;
  int stop_at_ = 0;
};

TEST_F(AnswersStudyTest, PlansThatAnswerAlikeAreEvaluatedOncePerCompute) {
  const auto report = Run();
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(answered_, 2 * 2);
  EXPECT_EQ(report->count.points, 8);
  EXPECT_EQ(report->count.done, 8);
  EXPECT_EQ(report->count.failed, 0);
  EXPECT_EQ(report->metric, "");  // the timed rows here name none
  for (const ElasticRow& row : report->rows) {
    const bool more =
        row.policy == "elastic" && ValueOf(row.condition, "latency") == "20ms";
    EXPECT_EQ(row.Figure("value"), more ? 0.75 : 0.5);
    EXPECT_EQ(row.Figure("total"), 4);
    EXPECT_EQ(row.right, more ? "1110" : "1100");
    EXPECT_EQ(row.Figure("run_ms_p50"), 10);  // as timed
  }
}

TEST_F(AnswersStudyTest, ResumeEvaluatesOnlyWhatIsMissing) {
  stop_at_ = 3;
  EXPECT_EQ(Run().status().code(), StatusCode::kCancelled);
  options_.resume = true;
  stop_at_ = 0;
  answered_ = 0;
  const auto report = Run();
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(answered_, 2);
}

TEST_F(AnswersStudyTest, APointWhosePlanFailedToAnswerFails) {
  const auto fails = [](const Point&, const std::string&) -> Result<Outcome> {
    return EvalOutcome({false, {0, 11}, "", ""});
  };
  const auto report =
      RunElasticStudy(options_, {Time, fails}, [](int64_t, int64_t) {});
  ASSERT_TRUE(report.ok()) << report.status().message();
  for (const ElasticRow& row : report->rows) {
    EXPECT_EQ(row.status, "failed");
    EXPECT_NE(row.reason.find("SIGSEGV"), std::string::npos) << row.reason;
  }
}

TEST_F(AnswersStudyTest, CommandsTimeFewRowsAndAnswerAllWithoutBudget) {
  options_.stint_executable = "stint";
  options_.data = "dev.tsv";
  const auto text = [](const std::vector<std::string>& command) {
    std::string words;
    for (const std::string& word : command) words += word + " ";
    return words;
  };
  Point point{1,
              {{"model", "m.stint"},
               {"storage", "80MB/s"},
               {"compute", "avx2-1thread"},
               {"memory", "8MB"},
               {"latency", "10ms"}},
              {{"policy", "sti"}}};
  EXPECT_EQ(text(EvalCommand(options_, point).value()),
            "stint eval m.stint --task sst2 --data dev.tsv --format json "
            "--right --latency 10ms --memory 8MB --storage 80MB/s --policy sti "
            "--percentile 95 --max-length 64 --pad --rows 60 --isa avx2 "
            "--threads 1 ");
  EXPECT_EQ(text(AnswerCommand(options_, point, "p").value()),
            "stint eval m.stint --task sst2 --data dev.tsv --format json "
            "--right --plan p --max-length 64 --pad --isa avx2 --threads 1 ");
  options_.runs = 0;  // by itself, on all rows
  EXPECT_EQ(text(EvalCommand(options_, point).value()).find("--rows"),
            std::string::npos);
}

}  // namespace
}  // namespace stint
