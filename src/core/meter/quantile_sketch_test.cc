#include "core/meter/quantile_sketch.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stint {
namespace {

TEST(QuantileSketch, IsWithinHalfAPercentOfTheRank) {
  QuantileSketch sketch;
  for (int i = 1; i <= 10001; ++i) sketch.Add(0.01 * i);
  EXPECT_EQ(sketch.count(), 10001);
  EXPECT_NEAR(sketch.Quantile(0.50), 50.01, 0.0051 * 50.01);
  EXPECT_NEAR(sketch.Quantile(0.95), 95.01, 0.0051 * 95.01);
}

TEST(QuantileSketch, TheSmallestAndTheLargestAreExact) {
  QuantileSketch sketch;
  for (double value : {7.25, 3.125, 1e-9, 5e7}) sketch.Add(value);
  EXPECT_EQ(sketch.Quantile(0), 1e-9);
  EXPECT_EQ(sketch.Quantile(1), 5e7);
}

TEST(QuantileSketch, OneValueIsEveryQuantile) {
  QuantileSketch sketch;
  sketch.Add(12.5);
  EXPECT_EQ(sketch.Quantile(0.5), 12.5);
  EXPECT_EQ(sketch.Quantile(0.95), 12.5);
}

TEST(QuantileSketch, NothingHasNoQuantile) {
  EXPECT_TRUE(std::isnan(QuantileSketch().Quantile(0.5)));
}

}  // namespace
}  // namespace stint
