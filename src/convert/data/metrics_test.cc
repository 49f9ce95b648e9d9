#include "convert/data/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "convert/data/compressed_file.h"
#include "core/meter/rank_tests.h"
#include "core/platform/file.h"

namespace stint {
namespace {

// Expected values: tests/fixtures/make_metrics.py.
const std::vector<double> kX = {0.5, 2.0, 2.0, -1.0, 3.5, 2.0, 0.5, 7.25};
const std::vector<double> kY = {1.0, 1.5, 4.0, -2.0, 1.5, 6.0, 0.0, 5.5};
const std::vector<int> kPredicted = {1, 0, 1, 1, 0, 0, 1, 0, 1, 1};
const std::vector<int> kLabels = {1, 0, 0, 1, 1, 0, 1, 0, 1, 0};

TEST(Metrics, PearsonEqualsSciPy) {
  EXPECT_NEAR(Pearson(kX, kY), 0.7067656662865544, 1e-15);
}

TEST(Metrics, SpearmanWithTiesEqualsSciPy) {
  EXPECT_NEAR(Spearman(kX, kY), 0.7780149774715441, 1e-15);
}

TEST(Metrics, MatthewsAndF1EqualNumPy) {
  const Confusion counts = CountConfusion(kPredicted, kLabels);
  EXPECT_NEAR(MatthewsCorrelation(counts), 0.408248290463863, 1e-15);
  EXPECT_NEAR(F1(counts), 0.7272727272727272, 1e-15);
}

TEST(Metrics, CorrelationsAreNanWithoutVariation) {
  const std::vector<double> flat(kX.size(), 1.0);
  EXPECT_TRUE(std::isnan(Pearson(kX, flat)));
  EXPECT_TRUE(std::isnan(Spearman(flat, kX)));
  EXPECT_TRUE(std::isnan(Pearson({}, {})));
}

TEST(Metrics, ScoresAreZeroWhereUndefined) {
  EXPECT_EQ(F1({0, 5, 0, 0}), 0);
  EXPECT_EQ(MatthewsCorrelation({0, 5, 0, 3}), 0);
  EXPECT_EQ(Accuracy({}, {}), 0);
}

TEST(Metrics, AccuracyIsTheShareOfEqualEntries) {
  EXPECT_EQ(Accuracy(kPredicted, kLabels), 0.7);
}

TEST(Metrics, ArgMaxTakesTheFirstOfEquals) {
  EXPECT_EQ(ArgMax(std::vector<float>{1, 5, 5, 2}), 1);
}

TEST(Metrics, TopKCountsEqualValuesByIndex) {
  const std::vector<float> values = {3, 9, 3, 7, 3};
  EXPECT_TRUE(InTopK(values, 1, 1));
  EXPECT_FALSE(InTopK(values, 3, 1));
  EXPECT_TRUE(InTopK(values, 0, 3));
  EXPECT_FALSE(InTopK(values, 2, 3));
  EXPECT_TRUE(InTopK(values, 4, 5));
  EXPECT_FALSE(InTopK(values, 9, 5));
}

TEST(Metrics, NanAtTheLabelIsNeverRight) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(InTopK(std::vector<float>{nan, 1}, 0, 2));
}

// Published with the golden file: Spearman 0.8672, Pearson 0.8696.
TEST(Metrics, GoldenCosinesGiveThePublishedCorrelations) {
  const std::string path = std::string(STINT_TEST_DATA) +
                           "/models/golden/stsb_dev.minilm_fp32_cosine.tsv.gz";
  if (!FileExists(path)) GTEST_SKIP() << "needs " << path;
  std::istringstream lines(ReadMaybeCompressed(path).value());
  std::string header;
  std::getline(lines, header);
  std::vector<double> scores;
  std::vector<double> cosines;
  double score = 0;
  double cosine = 0;
  while (lines >> score >> cosine) {
    scores.push_back(score);
    cosines.push_back(cosine);
  }
  ASSERT_EQ(scores.size(), 1500u);
  EXPECT_NEAR(Spearman(scores, cosines), 0.8672, 5e-5);
  EXPECT_NEAR(Pearson(scores, cosines), 0.8696, 5e-5);
}

}  // namespace
}  // namespace stint
