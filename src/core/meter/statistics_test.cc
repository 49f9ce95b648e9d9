// Expected values: numpy.quantile, scipy.stats.median_abs_deviation and
// scipy.stats.bootstrap (numpy.median, method='percentile') on the same
// numbers.
#include "core/meter/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stint {
namespace {

const std::vector<double> kTimes = {3.1, 2.9, 3.0, 3.3, 9.0, 2.8, 3.05};

TEST(Statistics, QuantilesInterpolateAsNumPyDoes) {
  EXPECT_DOUBLE_EQ(Quantile(kTimes, 0), 2.8);
  EXPECT_NEAR(Quantile(kTimes, 0.1), 2.86, 1e-12);
  EXPECT_DOUBLE_EQ(Median(kTimes), 3.05);
  EXPECT_NEAR(Quantile(kTimes, 0.9), 5.58, 1e-12);
  EXPECT_NEAR(Quantile(kTimes, 0.99), 8.658, 1e-12);
  EXPECT_DOUBLE_EQ(Quantile(kTimes, 1), 9.0);
}

TEST(Statistics, MeanAndDeviation) {
  EXPECT_NEAR(Mean(kTimes), 3.878571428571429, 1e-12);
  EXPECT_NEAR(MedianAbsoluteDeviation(kTimes), 0.15, 1e-12);
}

TEST(Statistics, NothingHasNoMedian) {
  EXPECT_TRUE(std::isnan(Median({})));
  EXPECT_TRUE(std::isnan(Mean({})));
}

TEST(Statistics, FlagsWhatIsFiveDeviationsAway) {
  const std::vector<bool> expected = {false, false, false, false,
                                      true,  false, false};
  EXPECT_EQ(FlagOutliers(kTimes), expected);
}

TEST(Statistics, EqualValuesHaveNoOutlier) {
  EXPECT_EQ(FlagOutliers(std::vector<double>{1, 1, 1, 2}),
            (std::vector<bool>{false, false, false, false}));
}

const std::vector<double> kSlow = {1.1, 1.2, 0.9, 1.05, 1.3, 1.15, 0.95};
const std::vector<double> kFast = {1, 1, 1, 1, 1.1, 1, 1};

TEST(PairedRatio, IsTheMedianOfTheRatiosWithItsInterval) {
  const Estimate ratio = PairedRatio(kSlow, kFast, 1);
  EXPECT_NEAR(ratio.value, 1.1, 1e-12);
  EXPECT_NEAR(ratio.low, 0.95, 1e-9);
  EXPECT_NEAR(ratio.high, 1.18181818, 1e-8);
}

TEST(PairedRatio, SameSeedSameInterval) {
  EXPECT_EQ(PairedRatio(kSlow, kFast, 7).low, PairedRatio(kSlow, kFast, 7).low);
}

TEST(PairedRatio, ADriftOfTheMachineCancels) {
  std::vector<double> a, b;
  for (int i = 1; i <= 9; ++i) {
    a.push_back(2.0 * i);
    b.push_back(1.0 * i);
  }
  const Estimate ratio = PairedRatio(a, b, 1);
  EXPECT_NEAR(ratio.low, 2, 1e-12);
  EXPECT_NEAR(ratio.high, 2, 1e-12);
}

TEST(PairedRatio, OnePairHasAnIntervalOfOnePoint) {
  const double a = 3, b = 2;
  const Estimate ratio = PairedRatio({&a, 1}, {&b, 1}, 1);
  EXPECT_NEAR(ratio.low, 1.5, 1e-12);
  EXPECT_NEAR(ratio.high, 1.5, 1e-12);
}

TEST(PairedRatio, NoPairIsNotANumber) {
  EXPECT_TRUE(std::isnan(PairedRatio({}, {}, 1).value));
}

// Expected: 2 * sum of comb(n, k) / 2**n in Python's fractions.
TEST(McNemar, IsTwiceTheTailOfFairCoins) {
  EXPECT_NEAR(McNemarP(10, 2), 0.03857421875, 1e-13);
  EXPECT_NEAR(McNemarP(2, 10), 0.03857421875, 1e-13);
  EXPECT_NEAR(McNemarP(30, 12), 0.007915897334896727, 1e-13);
  EXPECT_NEAR(McNemarP(600, 500), 0.0028195449914364275, 1e-12);
}

TEST(McNemar, NoOrEvenDisagreementIsNoDifference) {
  EXPECT_DOUBLE_EQ(McNemarP(0, 0), 1);
  EXPECT_DOUBLE_EQ(McNemarP(5, 5), 1);
}

// Expected: p.adjust(p, "holm") in R.
TEST(Holm, AdjustsAsRDoes) {
  const std::vector<double> p = {0.01, 0.04, 0.03, 0.005};
  const std::vector<double> expected = {0.03, 0.06, 0.06, 0.02};
  const std::vector<double> found = HolmAdjusted(p);
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < p.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], 1e-15);
}

TEST(Holm, NeverExceedsOne) {
  EXPECT_EQ(HolmAdjusted(std::vector<double>{0.9, 0.8}),
            (std::vector<double>{1, 1}));
  EXPECT_TRUE(HolmAdjusted({}).empty());
}

}  // namespace
}  // namespace stint
