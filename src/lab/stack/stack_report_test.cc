#include "lab/stack/stack_report.h"

#include <gtest/gtest.h>

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

TEST(StackReport, CorrelatesWhatVariesByCompute) {
  StackReport report;
  report.rows = {Row("all", "none", "direct", 10, 0.9),
                 Row("all", "int8", "direct", 9, 0.9),
                 Row("all", "fp16", "direct", 8, 0.9),
                 Row("avx2", "none", "direct", 1, 0.9)};
  double macs = 5;
  for (StackRow& row : report.rows) row.figures["macs"] = --macs;
  AnalyzeStack(&report);
  // The value is the same everywhere, and one point of avx2 says nothing.
  std::vector<std::string> found;
  for (const StackCorrelation& c : report.correlations) {
    if (c.a == "macs") found.push_back(c.compute + " " + c.b);
    EXPECT_NE(c.b, "value");
  }
  EXPECT_EQ(found, std::vector<std::string>{"all run_ms_p50"});
  EXPECT_DOUBLE_EQ(report.correlations.back().rho, 1);
  EXPECT_EQ(report.correlations.back().Title(),
            "rank correlation of products and time");
}

TEST(StackReport, FailedRowsCountNowhere) {
  StackReport report;
  report.rows = {Row("all", "none", "direct", 10, 0.9)};
  report.rows[0].status = "crashed";
  AnalyzeStack(&report);
  EXPECT_TRUE(report.pareto.empty());
  EXPECT_TRUE(report.correlations.empty());
}

TEST(StackReport, EmulatedRowsHaveAnswersAndCountNowhere) {
  StackReport report;
  report.rows = {Row("all", "none", "direct", 10, 0.9),
                 Row("all", "int8", "direct", 9, 0.9),
                 Row("emulated", "none", "direct", 1, 0.9),
                 Row("emulated", "int8", "direct", 2, 0.9)};
  report.rows[2].status = report.rows[3].status = "emulated";
  EXPECT_TRUE(report.rows[2].HasAnswers());
  AnalyzeStack(&report);
  EXPECT_EQ(report.pareto, (std::vector<size_t>{1}));
  EXPECT_EQ(report.speedups.size(), 1u);
  EXPECT_TRUE(report.flips.empty());
  EXPECT_TRUE(report.correlations.empty());
}

}  // namespace
}  // namespace stint
