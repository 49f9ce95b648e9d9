#include "engine/device/sparse_costs.h"

#include <gtest/gtest.h>

namespace stint {
namespace {

// 100 us and 1000 us per share of entries; direct takes 700.
const std::vector<PrimitiveCost> kCosts = {{"sparse4@10", 200},
                                           {"sparse4@40", 500},
                                           {"direct", 700},
                                           {"spatial", 900}};

TEST(SparseCosts, LiesOnALine) {
  EXPECT_DOUBLE_EQ(*PredictSparse(kCosts, 4, 0), 100);
  EXPECT_DOUBLE_EQ(*PredictSparse(kCosts, 4, 0.25), 350);
  EXPECT_FALSE(PredictSparse(kCosts, 1, 0.25));
}

TEST(SparseCosts, BreaksEvenWhereTheLineMeetsTheFastestDense) {
  EXPECT_NEAR(*SparseBreakEven(kCosts, 4), 0.4, 1e-12);
  EXPECT_EQ(FastestDense(kCosts)->primitive, "direct");
}

TEST(SparseCosts, NeverOrAlwaysAreOneAndZero) {
  auto costs = kCosts;
  costs[2].us = 50;
  EXPECT_EQ(*SparseBreakEven(costs, 4), 1);
  costs[2].us = costs[3].us = 5000;
  EXPECT_EQ(*SparseBreakEven(costs, 4), 0);
}

TEST(SparseCosts, AreKeptLikeTheOthers) {
  ConvCosts costs;
  costs.Set("layer", kCosts);
  const auto parsed = ConvCosts::Parse(costs.ToText());
  ASSERT_TRUE(parsed.ok());
  EXPECT_DOUBLE_EQ(*PredictSparse(*parsed->Find("layer"), 4, 0.25), 350);
}

}  // namespace
}  // namespace stint
