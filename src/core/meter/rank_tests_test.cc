// Expected values: SciPy on the same numbers, by statistics_expected.py.
#include "core/meter/rank_tests.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "core/meter/distributions.h"
#include "core/meter/statistics.h"

namespace stint {
namespace {

struct ExpectedPair {
  std::vector<double> a, b;
  double shapiro_w, shapiro_p;  // of a
  double mann_u, mann_p;
  double kruskal_h, kruskal_p;  // of a, b and Third()
  double delta, spearman;
  double median, median_low, median_high;  // of a
  double intercept, slope, r2;             // of b over a, the shorter length
  double signed_rank, signed_p;            // of a and b, the shorter length
};

#include "core/meter/statistics_expected.inc"

std::vector<double> Third(const ExpectedPair& pair) {
  std::vector<double> third;
  for (size_t i = 0; i < 3; ++i) third.push_back(pair.a[i] + 0.25);
  for (size_t i = 0; i < 2; ++i) third.push_back(pair.b[i]);
  return third;
}

// The first values of both, as many as the shorter has.
std::pair<std::vector<double>, std::vector<double>> Shorter(
    const ExpectedPair& pair) {
  const auto n = static_cast<ptrdiff_t>(std::min(pair.a.size(), pair.b.size()));
  return {{pair.a.begin(), pair.a.begin() + n},
          {pair.b.begin(), pair.b.begin() + n}};
}

TEST(ShapiroWilk, EqualsSciPy) {
  for (const ExpectedPair& pair : kPairs) {
    const TestResult found = ShapiroWilk(pair.a);
    EXPECT_NEAR(found.statistic, pair.shapiro_w, 1e-6);
    EXPECT_NEAR(found.p, pair.shapiro_p, 1e-5);
  }
}

TEST(ShapiroWilk, SaysNothingOfTooFewOrEqualValues) {
  EXPECT_TRUE(std::isnan(ShapiroWilk(std::vector<double>{1, 2}).p));
  EXPECT_TRUE(std::isnan(ShapiroWilk(std::vector<double>{1, 1, 1, 1}).p));
}

TEST(MannWhitney, EqualsSciPy) {
  for (const ExpectedPair& pair : kPairs) {
    const TestResult found = MannWhitney(pair.a, pair.b);
    EXPECT_DOUBLE_EQ(found.statistic, pair.mann_u);
    EXPECT_NEAR(found.p, pair.mann_p, 1e-12);
  }
}

TEST(KruskalWallis, EqualsSciPy) {
  for (const ExpectedPair& pair : kPairs) {
    const TestResult found = KruskalWallis(
        std::vector<std::vector<double>>{pair.a, pair.b, Third(pair)});
    EXPECT_NEAR(found.statistic, pair.kruskal_h, 1e-10);
    EXPECT_NEAR(found.p, pair.kruskal_p, 1e-12);
  }
}

TEST(KruskalWallis, EqualNumbersDoNotDiffer) {
  const std::vector<std::vector<double>> groups = {{1, 1}, {1, 1, 1}};
  EXPECT_EQ(KruskalWallis(groups).p, 1);
  EXPECT_EQ(MannWhitney(groups[0], groups[1]).p, 1);
}

TEST(CliffsDelta, IsTheMeanSignOfAllDifferences) {
  for (const ExpectedPair& pair : kPairs) {
    EXPECT_NEAR(CliffsDelta(pair.a, pair.b), pair.delta, 1e-12);
  }
  EXPECT_STREQ(CliffsDeltaWord(-0.2), "small");
  EXPECT_STREQ(CliffsDeltaWord(0.474), "large");
}

TEST(RanksOf, EqualValuesShareTheirMeanRank) {
  EXPECT_EQ(RanksOf(std::vector<double>{5, 1, 5, 3}),
            (std::vector<double>{3.5, 1, 3.5, 2}));
}

TEST(Spearman, EqualsSciPy) {
  for (const ExpectedPair& pair : kPairs) {
    const auto [a, b] = Shorter(pair);
    EXPECT_NEAR(Spearman(a, b), pair.spearman, 1e-12);
  }
}

TEST(WilcoxonSignedRank, EqualsSciPy) {
  for (const ExpectedPair& pair : kPairs) {
    const auto [a, b] = Shorter(pair);
    const TestResult found = WilcoxonSignedRank(a, b);
    EXPECT_DOUBLE_EQ(found.statistic, pair.signed_rank);
    EXPECT_NEAR(found.p, pair.signed_p, 1e-9);
  }
}

TEST(WilcoxonSignedRank, FewPairsCannotReject) {
  const std::vector<double> zeros(10, 0.0);
  const std::vector<double> ones = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  for (int pairs = 1; pairs <= 10; ++pairs) {
    const auto n = static_cast<size_t>(pairs);
    const double least =
        WilcoxonSignedRank({ones.data(), n}, {zeros.data(), n}).p;
    EXPECT_NEAR(least, std::min(1.0, 2 / std::pow(2.0, pairs)), 1e-12);
    EXPECT_EQ(PairsForWilcoxon(least * 1.001), pairs);
  }
  EXPECT_EQ(PairsForWilcoxon(0.05 / 21), 10);
  EXPECT_DOUBLE_EQ(WilcoxonSignedRank(zeros, zeros).p, 1);
}

TEST(FitLine, EqualsSciPy) {
  for (const ExpectedPair& pair : kPairs) {
    const auto [a, b] = Shorter(pair);
    const LineFit fit = FitLine(a, b);
    EXPECT_NEAR(fit.intercept, pair.intercept, 1e-9);
    EXPECT_NEAR(fit.slope, pair.slope, 1e-9);
    EXPECT_NEAR(fit.r2, pair.r2, 1e-9);
  }
}

TEST(MedianEstimate, HasTheIntervalOfTheSignTest) {
  for (const ExpectedPair& pair : kPairs) {
    const Estimate found = MedianEstimate(pair.a);
    EXPECT_DOUBLE_EQ(found.value, pair.median);
    EXPECT_EQ(found.known(), std::isfinite(pair.median_low));
    if (!found.known()) continue;
    EXPECT_NEAR(found.low, pair.median_low, 1e-9);
    EXPECT_NEAR(found.high, pair.median_high, 1e-9);
  }
}

TEST(Distributions, EqualSciPy) {
  for (const auto& [x, degrees, expected] : kChiSquare) {
    EXPECT_NEAR(ChiSquareTail(x, degrees), expected, 1e-12 * expected + 1e-15);
  }
  for (const auto& [p, expected] : kNormalQuantile) {
    EXPECT_NEAR(NormalQuantile(p), expected, 1e-9);
  }
}

}  // namespace
}  // namespace stint
