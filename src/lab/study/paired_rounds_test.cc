#include "lab/study/paired_rounds.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/random.h"

namespace stint {
namespace {

TEST(RatioByRound, PairsTheRoundsThatBothHave) {
  const std::map<int, double> a = {{1, 2}, {2, 40}, {3, 6}, {5, 1}};
  const std::map<int, double> b = {{1, 1}, {2, 10}, {3, 3}, {4, 7}};
  const auto ratio = RatioByRound(a, b);
  ASSERT_TRUE(ratio);
  EXPECT_NEAR(ratio->value, 2, 1e-12);
  EXPECT_FALSE(RatioByRound({{1, 2}}, {{2, 2}}));
}

TEST(JudgeNoise, IsQuietWhereTheIntervalStaysWithinTheMargin) {
  const auto verdict = [](const Estimate& ratio) {
    return JudgeNoise({}, ratio).verdict;
  };
  EXPECT_EQ(verdict({1, 0.99, 1.01}), NoiseVerdict::kQuiet);
  // A difference from 1 that is surely there and surely small.
  EXPECT_EQ(verdict({1.004, 1.004, 1.004}), NoiseVerdict::kQuiet);
  EXPECT_EQ(verdict({1.01, 1.0, 1.029}), NoiseVerdict::kQuiet);
  EXPECT_EQ(verdict({1, 0.96, 1.01}), NoiseVerdict::kNoisy);
  EXPECT_EQ(verdict({1.03, 1.02, 1.04}), NoiseVerdict::kNoisy);
  EXPECT_EQ(verdict(PairedRatio(std::vector<double>{1, 1, 1, 1, 1},
                                std::vector<double>{1, 1, 1, 1, 1})),
            NoiseVerdict::kUnknown);
}

TEST(JudgeNoise, StatesWhatTheRunResolves) {
  const NoiseRatio quiet = JudgeNoise({}, {1.004, 1.002, 1.012});
  EXPECT_NEAR(*quiet.Resolution(), 0.012, 1e-12);
  EXPECT_EQ(NoiseText(quiet), "this run resolves 1.2 %");
  const NoiseRatio low = JudgeNoise({}, {0.97, 0.95, 1.01});
  EXPECT_NEAR(*low.Resolution(), 1 / 0.95 - 1, 1e-12);
  EXPECT_EQ(NoiseText(low),
            "too noisy to rank within 3 %: this run resolves 5.26 %");
  const double one = 1;
  const NoiseRatio few = JudgeNoise({}, PairedRatio({&one, 1}, {&one, 1}));
  EXPECT_FALSE(few.Resolution());
  EXPECT_EQ(NoiseText(few), "noise unknown: needs 6 rounds");
  EXPECT_EQ(WorstNoise({quiet, low})->ratio.value, 0.97);
  EXPECT_FALSE(WorstNoise({quiet, few, low})->Resolution());
  EXPECT_TRUE(AllQuiet({quiet}));
  EXPECT_FALSE(AllQuiet({quiet, few}));
  EXPECT_FALSE(AllQuiet({}));
}

// How many of 1000 runs pass whose processes differ by so much; one process of
// twenty is `disturbance` slower.
int Passed(int rounds, double noise, double disturbance) {
  Random random(7);
  int passed = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    std::vector<double> a, b;
    for (int i = 0; i < rounds; ++i) {
      for (auto* entry : {&a, &b}) {
        entry->push_back(std::exp(noise * random.NextNormal()));
        if (random.NextInt(20) == 0) entry->back() *= 1 + disturbance;
      }
    }
    passed += JudgeNoise({}, PairedRatio(a, b)).quiet() ? 1 : 0;
  }
  return passed;
}

TEST(JudgeNoise, QuietRunsPassAndNoisyOnesDoNot) {
  for (int rounds : {6, 9, 10}) {
    EXPECT_GE(Passed(rounds, 0.005, 0), 950) << rounds;
    EXPECT_LE(Passed(rounds, 0.05, 0), 50) << rounds;
  }
  // The default of bench: one disturbed process in a run does not spoil it.
  EXPECT_GE(Passed(9, 0.005, 0.2), 750);
}

}  // namespace
}  // namespace stint
