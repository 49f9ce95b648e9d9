#include "engine/elastic/costs/model_costs.h"

#include <gtest/gtest.h>

namespace stint {
namespace {

ModelCosts::Point PointOf(int64_t batch, int64_t elements, double ns) {
  ModelCosts::Point point{batch, elements, 1000 * elements, {}};
  point.costs.before_ns = ns;
  point.costs.stages.resize(2);
  for (LayerCosts::Stage& stage : point.costs.stages) {
    stage.fixed_ns = ns / 10;
    stage.sliced_ns.fill(ns);
  }
  return point;
}

TEST(ModelCosts, LieOnALineBetweenShapes) {
  ModelCosts costs;
  costs.Add(PointOf(1, 64, 200));
  costs.Add(PointOf(1, 32, 100));
  const auto between = costs.At(1, 48);
  ASSERT_TRUE(between.has_value());
  EXPECT_DOUBLE_EQ(between->costs.before_ns, 150);
  EXPECT_DOUBLE_EQ(between->costs.stages[1].sliced_ns[3], 150);
  EXPECT_EQ(between->memory_bytes, 64'000);
  EXPECT_DOUBLE_EQ(costs.At(1, 32)->costs.before_ns, 100);
}

TEST(ModelCosts, AreUnknownFarFromWhatWasMeasured) {
  ModelCosts costs;
  EXPECT_FALSE(costs.At(1, 32).has_value());
  costs.Add(PointOf(1, 32, 100));
  EXPECT_FALSE(costs.At(2, 32).has_value());
  EXPECT_FALSE(costs.At(1, 64).has_value());
  EXPECT_FALSE(costs.At(1, 8).has_value());
  EXPECT_GT(costs.At(1, 36)->costs.before_ns, 100);
  EXPECT_EQ(costs.At(1, 20)->costs.before_ns, 100);
  costs.Add(PointOf(1, 320, 1000));
  EXPECT_FALSE(costs.At(1, 100).has_value());
}

TEST(ModelCosts, KeepTheQuickerOfTwoMeasurements) {
  ModelCosts costs;
  costs.Add(PointOf(1, 32, 100));
  costs.Add(PointOf(1, 32, 300));
  EXPECT_DOUBLE_EQ(costs.At(1, 32)->costs.before_ns, 100);
  costs.Add(PointOf(1, 32, 50));
  EXPECT_DOUBLE_EQ(costs.At(1, 32)->costs.stages[0].fixed_ns, 5);
  EXPECT_EQ(costs.points().size(), 1u);
}

TEST(ModelCosts, AreSentWithoutMemoryThatNobodyKnows) {
  ModelCosts costs;
  costs.Add(PointOf(1, 32, 100));
  ModelCosts sent = costs.WithoutMemory();
  EXPECT_EQ(sent.At(1, 32)->memory_bytes, 0);
  EXPECT_DOUBLE_EQ(sent.At(1, 32)->costs.before_ns, 100);
  // Between a point with memory and one without nothing is known.
  sent.Add(PointOf(1, 64, 200));
  EXPECT_GT(sent.At(1, 64)->memory_bytes, 0);
  EXPECT_EQ(sent.At(1, 48)->memory_bytes, 0);
}

TEST(ModelCosts, AreTheSameAsText) {
  ModelCosts costs;
  costs.Add(PointOf(1, 32, 100.5));
  costs.Add(PointOf(2, 64, 300));
  const auto read = ModelCosts::Parse(costs.ToText());
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->ToText(), costs.ToText());
  EXPECT_TRUE(read->HaveStages(2));
  EXPECT_FALSE(read->HaveStages(3));
}

TEST(ModelCosts, TheSlowdownIsKeptToo) {
  ModelCosts costs;
  EXPECT_EQ(ModelCosts::Parse(costs.ToText()).value().slowdown(), 0);
  costs.set_slowdown(1.25);
  EXPECT_EQ(ModelCosts::Parse(costs.ToText()).value().slowdown(), 1.25);
  EXPECT_EQ(ModelCosts::Parse("slowdown 0").status().code(),
            StatusCode::kDamaged);
  EXPECT_EQ(ModelCosts::Parse("slowdown x").status().code(),
            StatusCode::kDamaged);
}

TEST(ModelCosts, DamagedTextNamesItsLine) {
  ModelCosts costs;
  costs.Add(PointOf(1, 32, 100));
  const std::string text = costs.ToText();
  for (const std::string& damaged :
       {"1 2 3\n" + text, text + "shape 1\n", text + "1 2 3\n",
        text + "-1 1 1 1 1 1 1 1\n", text + "nan 1 1 1 1 1 1 1\n"}) {
    const auto read = ModelCosts::Parse(damaged);
    ASSERT_FALSE(read.ok()) << damaged;
    EXPECT_EQ(read.status().code(), StatusCode::kDamaged);
    EXPECT_NE(read.status().message().find("line "), std::string::npos);
  }
}

TEST(ModelCosts, HoldAFewDozenShapes) {
  ModelCosts costs;
  for (int64_t n = 1; n <= 100; ++n) costs.Add(PointOf(1, n, 10));
  EXPECT_EQ(costs.points().size(), 32u);
  EXPECT_TRUE(costs.At(1, 100).has_value());
}

}  // namespace
}  // namespace stint
