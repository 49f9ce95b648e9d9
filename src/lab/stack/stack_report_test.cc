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
  row.figures = {{"value", accuracy},
                 {"model_bytes", 1000},
                 {"parameters_before", 100},
                 {"nonzeros", compression == "none" ? 100.0 : 25.0}};
  for (int round = 2; round < 18; ++round) row.times[round] = ms;
  return row;
}

std::vector<StackFlip> FlipsOf(const StackReport& report,
                               const std::string& axis) {
  std::vector<StackFlip> flips = report.flips;
  std::erase_if(flips, [&](const auto& flip) { return flip.axis != axis; });
  return flips;
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

TEST(StackReport, PointsThatRunAlikeAreOneWinner) {
  StackReport report;
  report.rows = {Row("all", "none", "winograd4", 0.37, 0.9),
                 Row("all", "none", "direct", 0.76, 0.9),
                 Row("all", "none", "im2col", 0.76, 0.9),
                 Row("all", "int8", "winograd4", 0.64, 0.9),
                 Row("all", "int8", "direct", 0.64, 0.9),
                 Row("all", "int8", "im2col", 0.64, 0.9),
                 Row("all", "int8", "sparse", 4.2, 0.9)};
  // Winograd fits no layer in int8: what runs in its place is not Winograd.
  for (const size_t row : {3, 4, 5}) report.rows[row].kernels = "dense";
  report.rows[3].forced_layers = 0;
  report.rows[4].forced_layers = report.rows[5].forced_layers = 9;
  AnalyzeStack(&report);
  const auto flips = FlipsOf(report, "primitive");
  ASSERT_EQ(flips.size(), 1u);
  const StackFlip& flip = flips[0];
  EXPECT_EQ(flip.other, "compression");
  EXPECT_EQ(flip.from + " " + flip.winner_from, "none winograd4");
  EXPECT_EQ(flip.to + " " + flip.winner_to, "int8 direct=im2col");
  EXPECT_NEAR(flip.lead_from.value, 0.76 / 0.37, 1e-9);
  EXPECT_NEAR(flip.lead_to.value, 4.2 / 0.64, 1e-9);
}

TEST(StackReport, AWinnerThatSharesAValueWithTheOtherIsNoFlip) {
  StackReport report;
  report.rows = {Row("all", "none", "direct", 1, 0.9),
                 Row("all", "none", "im2col", 2, 0.9),
                 Row("all", "none", "sparse", 4, 0.9),
                 Row("all", "int8", "direct", 1, 0.9),
                 Row("all", "int8", "im2col", 1, 0.9),
                 Row("all", "int8", "sparse", 4, 0.9)};
  report.rows[3].kernels = report.rows[4].kernels = "dense";
  AnalyzeStack(&report);
  EXPECT_TRUE(FlipsOf(report, "primitive").empty());
}

TEST(StackReport, RoundsThatAreTooFewTellNoWinner) {
  StackReport report;
  report.rows = {Row("all", "none", "direct", 10, 0.9),
                 Row("all", "none", "winograd4", 6, 0.9),
                 Row("avx2-1thread", "none", "direct", 10, 0.9),
                 Row("avx2-1thread", "none", "winograd4", 15, 0.9)};
  for (StackRow& row : report.rows) row.times.erase(17);
  AnalyzeStack(&report);
  EXPECT_TRUE(report.flips.empty());
  EXPECT_EQ(report.undecided, 2);
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
  EXPECT_DOUBLE_EQ(report.speedups[0].achieved.value, 1.5);
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
  EXPECT_EQ(found, std::vector<std::string>{"all time_ms"});
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
