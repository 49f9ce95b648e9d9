#include "lab/study/paired_rounds.h"

#include <gtest/gtest.h>

namespace stint {
namespace {

TEST(RatioByRound, PairsTheRoundsThatBothHave) {
  const std::map<int, double> a = {{1, 2}, {2, 40}, {3, 6}, {5, 1}};
  const std::map<int, double> b = {{1, 1}, {2, 10}, {3, 3}, {4, 7}};
  const auto ratio = RatioByRound(a, b, 1);
  ASSERT_TRUE(ratio);
  EXPECT_NEAR(ratio->value, 2, 1e-12);
  EXPECT_FALSE(RatioByRound({{1, 2}}, {{2, 2}}, 1));
}

TEST(JudgeNoise, AnIntervalThatIsWideOrExcludesOneIsTooNoisy) {
  EXPECT_FALSE(JudgeNoise({}, {1, 0.99, 1.01}).too_noisy);
  EXPECT_TRUE(JudgeNoise({}, {1, 0.98, 1.02}).too_noisy);
  EXPECT_TRUE(JudgeNoise({}, {1.02, 1.01, 1.03}).too_noisy);
  EXPECT_TRUE(JudgeNoise({}, {0.98, 0.97, 0.99}).too_noisy);
}

}  // namespace
}  // namespace stint
