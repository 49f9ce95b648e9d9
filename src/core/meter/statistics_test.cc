// Expected values: numpy.quantile and scipy.stats.median_abs_deviation on the
// same numbers.
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

// Seven ratios: between the least (98.4 %) and the second (87.5 %), 0.44 of the
// way inward on the scale of logarithms.
TEST(PairedRatio, IsTheMedianOfTheRatiosWithItsInterval) {
  const Estimate ratio = PairedRatio(kSlow, kFast);
  const double excess = (1 - 2.0 / 128 - 0.95) / (14.0 / 128);
  const double inward = 6 * excess / (1 + 5 * excess);
  EXPECT_NEAR(ratio.value, 1.1, 1e-12);
  EXPECT_NEAR(std::log(ratio.low),
              (1 - inward) * std::log(0.9) + inward * std::log(0.95), 1e-9);
  EXPECT_NEAR(std::log(ratio.high),
              (1 - inward) * std::log(1.2) + inward * std::log(1.3 / 1.1),
              1e-9);
}

TEST(PairedRatio, ADriftOfTheMachineCancels) {
  std::vector<double> a, b;
  for (int i = 1; i <= 9; ++i) {
    a.push_back(2.0 * i);
    b.push_back(1.0 * i);
  }
  const Estimate ratio = PairedRatio(a, b);
  EXPECT_NEAR(ratio.low, 2, 1e-12);
  EXPECT_NEAR(ratio.high, 2, 1e-12);
}

TEST(PairedRatio, FewerThanSixPairsHaveNoInterval) {
  const std::vector<double> five = {1.01, 1.02, 1.03, 1.04, 1.05};
  const Estimate ratio = PairedRatio(five, std::vector<double>(5, 1));
  EXPECT_NEAR(ratio.value, 1.03, 1e-12);
  EXPECT_FALSE(ratio.known());
  EXPECT_EQ(ratio.low, 0);
  EXPECT_TRUE(std::isinf(ratio.high));
  EXPECT_FALSE(ratio.KnownLow());
  EXPECT_FALSE(ratio.KnownHigh());
}

TEST(PairedRatio, NoPairIsNotANumber) {
  EXPECT_TRUE(std::isnan(PairedRatio({}, {}).value));
  EXPECT_FALSE(PairedRatio({}, {}).known());
}

TEST(EstimateText, NeverShowsWhatIsNotKnown) {
  EXPECT_EQ(EstimateText({1.234, 1.1, 1.3}, "%.2f"), "1.23 [1.10, 1.30]");
  const std::vector<double> two = {1, 2};
  EXPECT_EQ(EstimateText(MedianEstimate(two), "%.1f"), "1.5 [-]");
  EXPECT_EQ(EstimateText(MedianEstimate(two), "%.1f", kNeedsRounds),
            "1.5 [n/a: needs 6 rounds]");
  EXPECT_EQ(EstimateText(MedianEstimate({}), "%.1f"), "-");
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
