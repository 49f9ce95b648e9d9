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
  EXPECT_DOUBLE_EQ(*PredictSparse(kCosts, {4}, 0), 100);
  EXPECT_DOUBLE_EQ(*PredictSparse(kCosts, {4}, 0.25), 350);
  EXPECT_FALSE(PredictSparse(kCosts, {1}, 0.25));
}

TEST(SparseCosts, BreaksEvenWhereTheLineMeetsTheFastestDense) {
  EXPECT_NEAR(SparseBreakEven(kCosts, 4)->zeros, 0.4, 1e-12);
  EXPECT_EQ(FastestDense(kCosts)->primitive, "direct");
}

TEST(SparseCosts, NeverOrAlwaysAreOneAndZero) {
  auto costs = kCosts;
  costs[2].us = 50;
  EXPECT_EQ(SparseBreakEven(costs, 4)->zeros, 1);
  costs[2].us = costs[3].us = 5000;
  EXPECT_EQ(SparseBreakEven(costs, 4)->zeros, 0);
}

// Columns cost more to gather, and less by entry: 250 us and 500 us.
TEST(SparseCosts, TakesTheFastestGatherAtEachShare) {
  EXPECT_EQ(SparseCostName({4, SparseGather::kColumns}, 40),
            "sparse_im2col4@40");
  auto costs = kCosts;
  costs.push_back({"sparse_im2col4@10", 300});
  costs.push_back({"sparse_im2col4@40", 450});
  EXPECT_EQ(FastestSparse(costs, 4, 0.1)->gather, SparseGather::kImage);
  EXPECT_EQ(FastestSparse(costs, 4, 0.6)->gather, SparseGather::kColumns);
  EXPECT_DOUBLE_EQ(FastestSparse(costs, 4, 0.6)->us, 550);
  EXPECT_FALSE(FastestSparse(costs, 8, 0.1));
  const auto even = SparseBreakEven(costs, 4);
  EXPECT_NEAR(even->zeros, 0.1, 1e-12);
  EXPECT_EQ(even->gather, SparseGather::kColumns);
  EXPECT_EQ(SparseBreakEven(kCosts, 4)->gather, SparseGather::kImage);
}

TEST(SparseCosts, AreKeptLikeTheOthers) {
  ConvCosts costs;
  costs.Set("layer", kCosts);
  const auto parsed = ConvCosts::Parse(costs.ToText());
  ASSERT_TRUE(parsed.ok());
  EXPECT_DOUBLE_EQ(*PredictSparse(*parsed->Find("layer"), {4}, 0.25), 350);
}

}  // namespace
}  // namespace stint
