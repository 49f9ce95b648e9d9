// How often intervals that are called 95 % hold what they are of, on made-up
// noise of the kinds that timings have.
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/random.h"
#include "core/meter/noise_for_test.h"
#include "core/meter/statistics.h"

namespace stint {
namespace {

constexpr int kTrials = 2000;
constexpr int kCounts[] = {6, 7, 8, 9, 10, 11, 13, 16, 20, 30};
constexpr double kLeastCoverage = 0.93;

class Coverage : public testing::TestWithParam<NoiseForTest> {};

INSTANTIATE_TEST_SUITE_P(Noises, Coverage, testing::ValuesIn(kNoises),
                         [](const auto& info) { return info.param.name; });

TEST_P(Coverage, OfTheMedian) {
  for (int count : kCounts) {
    Random random(static_cast<uint64_t>(count));
    int held = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<double> values;
      for (int i = 0; i < count; ++i)
        values.push_back(GetParam().draw(&random));
      const Estimate median = MedianEstimate(values);
      ASSERT_TRUE(median.known());
      ASSERT_LE(median.low, median.value);
      ASSERT_GE(median.high, median.value);
      held += median.low <= 0 && median.high >= 0 ? 1 : 0;
    }
    EXPECT_GE(held, kLeastCoverage * kTrials) << count << " values";
    // An interval that always holds it says nothing.
    EXPECT_LE(held, 0.985 * kTrials) << count << " values";
  }
}

// With a drift of the machine that both of a pair see.
TEST_P(Coverage, OfThePairedRatio) {
  for (int count : kCounts) {
    Random random(static_cast<uint64_t>(100 + count));
    int held = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<double> a, b;
      for (int i = 0; i < count; ++i) {
        const double machine = 1 + 0.5 * random.NextDouble();
        a.push_back(3 * machine * std::exp(0.02 * GetParam().draw(&random)));
        b.push_back(2 * machine * std::exp(0.02 * GetParam().draw(&random)));
      }
      const Estimate ratio = PairedRatio(a, b);
      held += ratio.low <= 1.5 && ratio.high >= 1.5 ? 1 : 0;
    }
    EXPECT_GE(held, kLeastCoverage * kTrials) << count << " pairs";
  }
}

}  // namespace
}  // namespace stint
