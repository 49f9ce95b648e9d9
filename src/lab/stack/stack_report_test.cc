#include "lab/stack/stack_report.h"

#include <gtest/gtest.h>

#include "lab/stack/stack_process.h"

namespace stint {
namespace {

StackRow Row(const std::string& compute, const std::string& compression,
             const std::string& primitive, double ms, double accuracy) {
  StackRow row;
  row.setting = {{"model", "m"},
                 {"compute", compute},
                 {"compression", compression},
                 {"primitive", primitive}};
  row.status = "ok";
  row.figures = {{"run_ms_p50", ms},
                 {"value", accuracy},
                 {"model_bytes", 1000},
                 {"parameters_before", 100},
                 {"nonzeros", compression == "none" ? 100.0 : 25.0}};
  return row;
}

TEST(StackReport, ParetoRowsAreBeatenByNoneOfTheirModelAndCompute) {
  StackReport report;
  report.rows = {Row("all", "none", "direct", 10, 0.9),
                 Row("all", "int8", "direct", 4, 0.9),
                 Row("all", "channel:50%", "direct", 3, 0.7),
                 Row("all", "magnitude:90%", "direct", 5, 0.6),
                 Row("avx2-1thread", "none", "direct", 20, 0.9)};
  AnalyzeStack(&report);
  EXPECT_EQ(report.pareto, (std::vector<size_t>{1, 2, 4}));
}

TEST(StackReport, AWinnerThatChangesIsAFlip) {
  StackReport report;
  report.rows = {Row("all", "none", "direct", 10, 0.9),
                 Row("all", "none", "winograd4", 6, 0.9),
                 Row("all", "none", "auto", 5, 0.9),
                 Row("avx2-1thread", "none", "direct", 10, 0.9),
                 Row("avx2-1thread", "none", "winograd4", 15, 0.9)};
  AnalyzeStack(&report);
  ASSERT_EQ(report.flips.size(), 1u);
  const StackFlip& flip = report.flips[0];
  EXPECT_EQ(flip.axis, "primitive");
  EXPECT_EQ(flip.other, "compute");
  EXPECT_EQ(flip.from + " " + flip.winner_from, "all winograd4");
  EXPECT_EQ(flip.to + " " + flip.winner_to, "avx2-1thread direct");
}

TEST(StackReport, AWinnerByAHairIsNone) {
  StackReport report;
  report.rows = {Row("all", "none", "direct", 10, 0.9),
                 Row("all", "none", "winograd4", 9.9, 0.9),
                 Row("avx2-1thread", "none", "direct", 10, 0.9),
                 Row("avx2-1thread", "none", "winograd4", 15, 0.9)};
  AnalyzeStack(&report);
  EXPECT_TRUE(report.flips.empty());
}

TEST(StackReport, ComparesWhatWasPromisedWithWhatCame) {
  StackReport report;
  report.rows = {Row("all", "none", "direct", 10, 0.9),
                 Row("all", "none", "winograd4", 6, 0.9),
                 Row("all", "magnitude:75%", "sparse", 4, 0.88),
                 Row("all", "magnitude:75%", "direct", 10, 0.88)};
  AnalyzeStack(&report);
  ASSERT_EQ(report.speedups.size(), 1u);
  EXPECT_DOUBLE_EQ(report.speedups[0].expected, 4);
  EXPECT_DOUBLE_EQ(report.speedups[0].achieved, 1.5);
  EXPECT_NEAR(report.speedups[0].accuracy_change, -0.02, 1e-12);
}

TEST(StackReport, FailedRowsCountNowhere) {
  StackReport report;
  report.rows = {Row("all", "none", "direct", 10, 0.9)};
  report.rows[0].status = "crashed";
  AnalyzeStack(&report);
  EXPECT_TRUE(report.pareto.empty());
  EXPECT_TRUE(report.correlations.empty());
}

TEST(CompressOptionsOf, SplitsPruningAndNumbers) {
  EXPECT_EQ(*CompressOptionsOf("channel:50%+int8"),
            (std::vector<std::string>{"--prune", "channel:50%", "--quantize",
                                      "int8"}));
  EXPECT_EQ(CompressOptionsOf("channel:150%").status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(CompressOptionsOf("int9").status().code(),
            StatusCode::kInvalidArgument);
}

TEST(StackEvalCommand, HasThePointsPrimitiveAndCompute) {
  StackStudyOptions options;
  options.stint_executable = "stint";
  options.data = "test.bin";
  options.preprocessing = {"--scale", "255"};
  options.rows = 10;
  const Point point{
      1,
      {{"model", "m.onnx"}, {"compute", "avx2-1thread"}},
      {{"compression", "bf16"}, {"primitive", "direct"}, {"code", "untuned"}}};
  EXPECT_EQ(*StackEvalCommand(options, point, "x.onnx"),
            (std::vector<std::string>{
                "stint",      "eval",    "x.onnx",      "--task",
                "cifar10",    "--data",  "test.bin",    "--format",
                "json",       "--right", "--rows",      "10",
                "--scale",    "255",     "--primitive", "direct",
                "--schedule", "untuned", "--precision", "bf16",
                "--isa",      "avx2",    "--threads",   "1"}));
}

TEST(StackTuneCommand, TunesForTheCompute) {
  StackStudyOptions options;
  options.stint_executable = "stint";
  options.tune_budget = "5s";
  const Point point{1, {{"model", "m"}, {"compute", "avx2-1thread"}}, {}};
  EXPECT_EQ(
      *StackTuneCommand(options, point, "x.onnx"),
      (std::vector<std::string>{"stint", "tune", "x.onnx", "--budget", "5s",
                                "--isa", "avx2", "--threads", "1"}));
}

TEST(MakeStackStudy, RefusesCodesAndBudgetsThatAreNone) {
  StackStudyOptions options;
  options.models = {"m.onnx"};
  FillStack(true, &options);
  ASSERT_TRUE(MakeStackStudy(options).ok());
  StackStudyOptions wrong = options;
  wrong.codes = {"best"};
  EXPECT_EQ(MakeStackStudy(wrong).status().code(),
            StatusCode::kInvalidArgument);
  wrong = options;
  wrong.tune_budget = "soon";
  EXPECT_EQ(MakeStackStudy(wrong).status().code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace stint
