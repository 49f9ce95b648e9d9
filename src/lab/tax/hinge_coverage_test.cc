// How often the 95 % intervals of a fit hold the true figures.
#include <gtest/gtest.h>

#include <cmath>

#include "core/meter/noise_for_test.h"
#include "lab/tax/hinge_fit.h"

namespace stint {
namespace {

constexpr int kTrials = 400;
constexpr double kLeastCoverage = 0.93;

struct Curve {
  double floor = 0;  // 0: none
  double fixed = 0, per_item = 0;
};

struct Held {
  int seen = 0;  // with a floor, where there is one
  int floor = 0, fixed = 0, per_item = 0, crossover = 0;
};

bool Holds(const Estimate& interval, double truth) {
  EXPECT_TRUE(interval.known());
  return interval.low <= truth && truth <= interval.high;
}

// In every other trial the processes of a round share as much noise again.
Held Simulate(const NoiseForTest& noise, const Curve& truth,
              const std::vector<double>& batches, int processes) {
  Random random(static_cast<uint64_t>(processes));
  Held held;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> rounds;
    for (int i = 0; i < processes; ++i) {
      rounds.push_back(trial % 2 == 0 ? 0 : 0.01 * random.NextNormal());
    }
    std::vector<std::vector<double>> times;
    for (double batch : batches) {
      const double ms =
          std::max(truth.floor, truth.fixed + truth.per_item * batch);
      times.emplace_back();
      for (double round : rounds) {
        const double alone = 0.01 * noise.draw(&random);
        times.back().push_back(ms * std::exp(round + alone));
      }
    }
    const HingeEstimate found = EstimateHinge(batches, times);
    if (found.floor_ms.has_value() != (truth.floor > 0)) continue;
    ++held.seen;
    held.fixed += Holds(found.fixed_ms, truth.fixed) ? 1 : 0;
    held.per_item += Holds(found.per_item_ms, truth.per_item) ? 1 : 0;
    if (!found.floor_ms) continue;
    held.floor += Holds(*found.floor_ms, truth.floor) ? 1 : 0;
    const double bend = (truth.floor - truth.fixed) / truth.per_item;
    held.crossover += Holds(*found.crossover, bend) ? 1 : 0;
  }
  return held;
}

class HingeCoverage : public testing::TestWithParam<NoiseForTest> {};

INSTANTIATE_TEST_SUITE_P(Noises, HingeCoverage, testing::ValuesIn(kNoises),
                         [](const auto& info) { return info.param.name; });

TEST_P(HingeCoverage, OfALine) {
  for (int processes : {6, 10, 20}) {
    const Held held =
        Simulate(GetParam(), {0, 5, 0.5}, {1, 2, 4, 8}, processes);
    EXPECT_GE(held.seen, 0.9 * kTrials) << processes;
    EXPECT_GE(held.fixed, kLeastCoverage * held.seen) << processes;
    EXPECT_GE(held.per_item, kLeastCoverage * held.seen) << processes;
  }
}

TEST_P(HingeCoverage, OfAFloorAndItsEnd) {
  for (int processes : {6, 10, 20}) {
    const Held held = Simulate(GetParam(), {10, 2, 0.5},
                               {1, 2, 4, 8, 16, 32, 64, 128}, processes);
    EXPECT_GE(held.seen, 0.9 * kTrials) << processes;
    for (int count : {held.floor, held.fixed, held.per_item, held.crossover}) {
      EXPECT_GE(count, kLeastCoverage * held.seen) << processes;
    }
  }
}

}  // namespace
}  // namespace stint
