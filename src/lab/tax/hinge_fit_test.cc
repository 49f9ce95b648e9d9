// Times: the published data of "The Framework Tax" (RTX-8000, fp32 and fp16);
// fitted figures: an independent fit of the same form on the same numbers.
#include "lab/tax/hinge_fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/random.h"

namespace stint {
namespace {

const std::vector<double> kBatches = {1, 2, 4, 8, 16, 32, 64, 128};

struct Published {
  const char* name;
  std::vector<double> times_ms;
  double floor, fixed, per_item, crossover;
};

const std::vector<Published> kPublished = {
    {"ResNet-50 PyTorch",
     {10.61, 10.82, 10.72, 10.75, 16.74, 31.69, 61.92, 123.66},
     10.72,
     1.52,
     .948,
     9.71},
    {"ResNet-50 TorchScript",
     {6.31, 6.46, 6.40, 9.12, 14.73, 25.88, 47.31, 94.32},
     6.39,
     3.53,
     .698,
     4.09},
    {"BERT PyTorch",
     {10.77, 11.28, 11.27, 20.14, 36.19, 69.36, 129.82, 255.12},
     11.02,
     3.47,
     2.013,
     3.75},
    {"BERT fp16 PyTorch",
     {10.54, 10.96, 10.97, 10.88, 10.87, 18.22, 31.24, 60.93},
     10.84,
     3.87,
     .440,
     15.8},
    {"ResNet-50 fp16 PyTorch",
     {12.37, 10.85, 10.87, 11.20, 10.77, 15.50, 29.12, 56.02},
     11.20,
     1.98,
     .423,
     21.8},
};

TEST(HingeFit, AgreesWithAnotherFitOfPublishedCurves) {
  for (const Published& row : kPublished) {
    const HingeFit fit = FitHinge(kBatches, row.times_ms);
    ASSERT_TRUE(fit.floor_ms) << row.name;
    EXPECT_NEAR(*fit.floor_ms, row.floor, 0.03 * row.floor) << row.name;
    EXPECT_NEAR(fit.fixed_ms, row.fixed, 0.05 * row.floor) << row.name;
    EXPECT_NEAR(fit.per_item_ms, row.per_item, 0.05 * row.per_item) << row.name;
    EXPECT_NEAR(*fit.Crossover(), row.crossover, 0.06 * row.crossover)
        << row.name;
  }
}

TEST(HingeFit, ACurveWithoutAFloorHasNone) {
  const std::vector<double> torchscript = {5.06,  7.75,  10.73,  19.55,
                                           34.47, 65.53, 127.44, 250.58};
  const HingeFit fit = FitHinge(kBatches, torchscript);
  EXPECT_FALSE(fit.floor_ms);
  EXPECT_FALSE(fit.Crossover());
  EXPECT_NEAR(fit.fixed_ms, 3.32, 0.1);
  EXPECT_NEAR(fit.per_item_ms, 1.952, 0.02);
}

// Two sizes, 7 % apart, are no floor (BERT fp16 in ONNX Runtime).
TEST(HingeFit, AFewSizesThatGrowAreNoFloor) {
  const std::vector<double> times = {2.56, 2.75,  3.56,  4.69,
                                     8.64, 17.56, 33.41, 62.10};
  EXPECT_FALSE(FitHinge(kBatches, times).floor_ms);
}

// Latency that doubles with the batch, give or take some percent, from the
// second size on at the latest.
TEST(HingeFit, WhereLatencyFollowsTheBatchThereIsNoFloor) {
  Random random(5);
  for (double first : {1.0, 1.5, 1.9, 2.1}) {
    for (int trial = 0; trial < 200; ++trial) {
      std::vector<double> times;
      for (double batch : kBatches) {
        const double ms = batch == 1 ? first : batch;
        times.push_back(ms * std::exp(0.05 * random.NextNormal()));
      }
      const HingeFit fit = FitHinge(kBatches, times);
      EXPECT_FALSE(fit.floor_ms)
          << "first " << first << ", until " << *fit.Crossover();
    }
  }
}

TEST(HingeFit, FindsAFloorWhereOneIs) {
  Random random(6);
  for (double bend : {4.0, 8.0, 16.0}) {
    for (int trial = 0; trial < 200; ++trial) {
      std::vector<double> times;
      for (double batch : kBatches) {
        times.push_back(std::max(10.0, 2 + 8 / bend * batch) *
                        std::exp(0.01 * random.NextNormal()));
      }
      const HingeFit fit = FitHinge(kBatches, times);
      ASSERT_TRUE(fit.floor_ms) << bend;
      EXPECT_NEAR(*fit.floor_ms, 10, 0.4);
      EXPECT_NEAR(*fit.Crossover(), bend, 0.15 * bend);
    }
  }
}

TEST(HingeFit, RecoversALineExactly) {
  std::vector<double> times;
  for (double batch : kBatches) times.push_back(5 + 0.25 * batch);
  const HingeFit fit = FitHinge(kBatches, times);
  EXPECT_NEAR(fit.fixed_ms, 5, 1e-6);
  EXPECT_NEAR(fit.per_item_ms, 0.25, 1e-7);
}

// One point on a floor always fits a little better; the line's fixed part would
// then come from the largest batches alone.
TEST(HingeFit, NoiseOnALineIsNoFloor) {
  const std::vector<double> batches = {1, 2, 4, 8};
  const std::vector<double> noisy = {11.3, 11.9, 14.1, 17.8};  // near 10 + B
  const HingeFit fit = FitHinge(batches, noisy);
  EXPECT_FALSE(fit.floor_ms);
  EXPECT_NEAR(fit.fixed_ms, 10, 0.4);
}

TEST(HingeEstimate, IntervalsHoldTheTruthAndNarrowWithLessNoise) {
  const auto processes = [](double noise) {
    std::vector<std::vector<double>> times;
    for (double batch : kBatches) {
      const double truth = std::max(10.0, 2 + 0.5 * batch);
      times.push_back({truth * (1 - noise), truth, truth * (1 + noise),
                       truth * (1 - noise / 2), truth * (1 + noise / 2),
                       truth});
    }
    return times;
  };
  const HingeEstimate wide = EstimateHinge(kBatches, processes(0.05));
  EXPECT_LE(wide.floor_ms->low, 10);
  EXPECT_GE(wide.floor_ms->high, 10);
  EXPECT_LE(wide.crossover->low, 16);
  EXPECT_GE(wide.crossover->high, 16);
  const HingeEstimate narrow = EstimateHinge(kBatches, processes(0.005));
  EXPECT_LT(narrow.fixed_ms.high - narrow.fixed_ms.low,
            wide.fixed_ms.high - wide.fixed_ms.low);
}

TEST(HingeEstimate, FewProcessesHaveNoInterval) {
  const std::vector<double> batches = {1, 2, 4};
  const std::vector<std::vector<double>> times(3, {3, 4, 3.5, 3.2, 3.1});
  const HingeEstimate estimate = EstimateHinge(batches, times);
  EXPECT_FALSE(estimate.fixed_ms.known());
  EXPECT_FALSE(estimate.per_item_ms.known());
}

TEST(HingeEstimate, WarnsOfWhatItCannotSee) {
  const std::vector<double> batches = {1, 2, 4};
  const std::vector<std::vector<double>> line = {{3}, {4}, {6}};
  const HingeEstimate estimate = EstimateHinge(batches, line);
  EXPECT_FALSE(estimate.floor_ms);
  ASSERT_FALSE(estimate.warnings.empty());
  EXPECT_NE(estimate.warnings[0].find("no floor seen"), std::string::npos);
  const std::vector<std::vector<double>> convex = {{3}, {9}, {40}};
  EXPECT_LT(EstimateHinge(batches, convex).fit.fixed_ms, 0);
}

}  // namespace
}  // namespace stint
