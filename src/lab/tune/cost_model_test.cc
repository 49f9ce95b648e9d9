#include "lab/tune/cost_model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stint {
namespace {

PlanFeatures RandomFeatures(Random* random) {
  PlanFeatures features;
  for (double& feature : features) feature = random->NextDouble();
  return features;
}

// A known function of three of the features.
double Known(const PlanFeatures& f) {
  return 3 * f[2] - 2 * (f[5] > 0.5 ? 1 : 0) + f[9] * f[9];
}

TEST(CostModel, LearnsAKnownFunction) {
  Random random(3);
  std::vector<PlanFeatures> seen;
  std::vector<double> costs;
  for (int i = 0; i < 500; ++i) {
    seen.push_back(RandomFeatures(&random));
    costs.push_back(Known(seen.back()));
  }
  CostModel model;
  model.Fit(seen, costs);
  ASSERT_TRUE(model.trained());
  double error = 0;
  double spread = 0;
  for (int i = 0; i < 500; ++i) {
    const PlanFeatures fresh = RandomFeatures(&random);
    error += std::pow(model.Predict(fresh) - Known(fresh), 2);
    spread += std::pow(Known(fresh) - 0.83, 2);
  }
  EXPECT_LT(error, 0.05 * spread);
}

TEST(CostModel, KnowsNothingFromAFewTrials) {
  Random random(3);
  CostModel model;
  model.Fit({RandomFeatures(&random)}, {1.0});
  EXPECT_FALSE(model.trained());
}

TEST(CostModel, SurvivesFeaturesThatNeverChange) {
  CostModel model;
  model.Fit(std::vector<PlanFeatures>(20), std::vector<double>(20, 2.0));
  EXPECT_DOUBLE_EQ(model.Predict({}), 2.0);
}

TEST(FeaturesOf, TellsSchedulesApart) {
  TuneProblem p;
  p.shape.in_channels = p.shape.out_channels = 32;
  p.shape.in_h = p.shape.in_w = p.shape.out_h = p.shape.out_w = 16;
  p.isa = DetectIsa();
  const PlanFeatures a = FeaturesOf(p, {"direct", {.tile_pixels = 8}});
  EXPECT_NE(a, FeaturesOf(p, {"direct", {.tile_pixels = 6}}));
  EXPECT_NE(a, FeaturesOf(p, {"im2col", {.tile_pixels = 8}}));
  EXPECT_EQ(a, FeaturesOf(p, {"direct", {.tile_pixels = 8}}));
}

}  // namespace
}  // namespace stint
