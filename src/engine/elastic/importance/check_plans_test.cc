#include "engine/elastic/importance/check_plans.h"

#include <gtest/gtest.h>

#include "core/platform/file.h"
#include "core/platform/thread_pool.h"
#include "engine/elastic/importance/expect_answers.h"
#include "engine/elastic/importance/measure_importance.h"
#include "engine/elastic/importance/shard_losses.h"
#include "weights/store/elastic/set_importance.h"
#include "weights/store/package_file.h"
#include "weights/testing/elastic_model.h"

namespace stint {
namespace {

class CheckPlansTest : public testing::Test {
 protected:
  void SetUp() override {
    Package model = MakeElasticModel(64);
    model.sub_networks = {{{0}, 2, 0}};
    path_ = WriteElastic(model, SmallShards());
    AddImportance(path_);
    package_ = ReadPackage(path_).value();
    job_ = {&package_, {DetectIsa(), 1}, &pool_, Samples(100, 12)};
  }

  static std::vector<std::vector<Value>> Samples(int64_t seed, int64_t count) {
    std::vector<std::vector<Value>> samples;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t a = (seed + 17 * i) % 100;
      samples.push_back(
          {Tensor::Vector<int64_t>({a, 99 - a, (3 * a) % 100, 42, 3})
               .Reshaped({1, 5})});
    }
    return samples;
  }

  ShardCatalog Measured() {
    ImportanceJob job;
    job.package = &package_;
    job.site = job_.site;
    job.pool = &pool_;
    job.samples = Samples(0, 6);
    return MeasureImportance(job).value();
  }

  // What the loss of shards says of the first slices of the first layer.
  static double Ratio(const ShardCatalog& catalog) {
    const auto losses = ShardLosses(catalog);
    return losses[0][0][0] / losses[0][1][0];
  }

  ThreadPool pool_{1};
  std::string path_;
  Package package_;
  PlanCheckJob job_;
};

TEST_F(CheckPlansTest, MoreBitsCostLessAndTheFileKeepsIt) {
  const auto catalog = CheckPlans(job_, Measured());
  ASSERT_TRUE(catalog.ok()) << catalog.status().message();
  EXPECT_EQ(catalog->check_rows, 12);
  // Nine of the whole, two of its sub-network.
  ASSERT_EQ(catalog->checks.size(), 11u);
  const PlanCheck& least = catalog->checks.front();
  const PlanCheck& most = catalog->checks[8];
  EXPECT_EQ(least.sub_network, -1);
  EXPECT_EQ(least.bits[0][0], 2);
  EXPECT_GT(least.loss, 4 * most.loss);
  EXPECT_GT(most.loss, 0);
  EXPECT_GT(least.error, 0);
  EXPECT_EQ(catalog->checks[9].sub_network, 0);
  EXPECT_EQ(catalog->checks[9].bits[0].back(), 0);  // left out
  EXPECT_GT(catalog->checks[10].loss, most.loss);
  ASSERT_TRUE(SetImportance(path_, *catalog).ok());
  const Package again = ReadPackage(path_).value();
  const ShardCatalog& read = again.shards->catalog;
  ASSERT_EQ(read.checks.size(), 11u);
  EXPECT_EQ(read.check_rows, 12);
  for (size_t i = 0; i < 11; ++i) {
    EXPECT_EQ(read.checks[i].bits, catalog->checks[i].bits);
    EXPECT_EQ(read.checks[i].loss, catalog->checks[i].loss);
    EXPECT_EQ(read.checks[i].error, catalog->checks[i].error);
    EXPECT_EQ(read.checks[i].same, catalog->checks[i].same);
  }
}

// Importance that is the wrong way round does not survive rows that it has not
// seen.
TEST_F(CheckPlansTest, MisleadingImportanceIsGivenUp) {
  ShardCatalog catalog = Measured();
  const double right = Ratio(catalog);
  for (CatalogLayer& layer : catalog.layers) {
    const auto groups = static_cast<size_t>(catalog.groups());
    for (size_t i = 0; i < layer.importance.size(); ++i) {
      const bool first = &layer == &catalog.layers.front();
      // Only the first slice of the first layer is said to matter.
      layer.importance[i] = (first && i < groups ? 1e3f : 1e-3f) /
                            static_cast<float>(i % groups + 1);
    }
  }
  EXPECT_GT(Ratio(catalog), 20 * right);
  const auto checked = CheckPlans(job_, catalog);
  ASSERT_TRUE(checked.ok()) << checked.status().message();
  EXPECT_LT(Ratio(*checked), 3);
  EXPECT_GT(Ratio(*checked), 0.3);
}

TEST_F(CheckPlansTest, NeedsSamplesAndImportance) {
  PlanCheckJob nothing = job_;
  nothing.samples.clear();
  EXPECT_EQ(CheckPlans(nothing, Measured()).status().message(),
            "there are no samples");
  ShardCatalog without = package_.shards->catalog;
  without.importance = ImportanceKind::kNone;
  EXPECT_EQ(CheckPlans(job_, without).status().message(),
            "importance has not been measured");
}

class ExpectAnswersTest : public CheckPlansTest {
 protected:
  // Checks of all shards at the same bits, with what they cost.
  void AddCheck(int bits, float loss, float same) {
    PlanCheck& check = catalog_.checks.emplace_back();
    for (const ShardLayer& layer : catalog_.layout.layers) {
      check.bits.emplace_back(static_cast<size_t>(layer.slices),
                              static_cast<uint8_t>(bits));
    }
    check.loss = loss;
    check.error = 0.01f;
    check.same = same;
    catalog_.check_rows = 50;
  }
  double Predicted(int bits) const {
    double sum = 0;
    for (const auto& layer : ShardLosses(catalog_)) {
      for (const ByFidelity& of : layer) {
        sum += of[static_cast<size_t>(bits - kPlaneMinBits)];
      }
    }
    return sum;
  }

  void SetUp() override {
    CheckPlansTest::SetUp();
    catalog_ = package_.shards->catalog;
  }
  ShardCatalog catalog_;
};

TEST_F(ExpectAnswersTest, FollowWhatWasMeasured) {
  EXPECT_FALSE(ExpectAnswers(catalog_, 0.1).has_value());
  AddCheck(2, 0.5f, 0.8f);
  AddCheck(4, 0.1f, 0.96f);
  const auto at = [&](double predicted) {
    return ExpectAnswers(catalog_, predicted).value();
  };
  EXPECT_NEAR(at(Predicted(2)).loss, 0.5, 1e-6);
  EXPECT_NEAR(at(Predicted(2)).same, 0.8, 1e-6);
  EXPECT_NEAR(at(Predicted(4)).loss, 0.1, 1e-6);
  EXPECT_NEAR(at((Predicted(2) + Predicted(4)) / 2).loss, 0.3, 1e-6);
  EXPECT_NEAR(at((Predicted(2) + Predicted(4)) / 2).same, 0.88, 1e-6);
  EXPECT_EQ(at(0).loss, 0);
  EXPECT_EQ(at(0).same, 1);
  EXPECT_NEAR(at(10 * Predicted(2)).loss, 0.5, 1e-6);
  EXPECT_EQ(at(0).rows, 50);
  EXPECT_GT(at(0).same_error, 0.005);
}

TEST_F(ExpectAnswersTest, NeverFallWhereMoreIsPredicted) {
  AddCheck(2, 0.2f, 0.90f);
  AddCheck(3, 0.4f, 0.86f);  // noise
  AddCheck(6, 0.1f, 0.95f);
  double loss = 0, same = 1;
  for (double share = 0; share <= 1.2; share += 0.05) {
    const auto expected = ExpectAnswers(catalog_, share * Predicted(2));
    EXPECT_GE(expected->loss, loss);
    EXPECT_LE(expected->same, same);
    loss = expected->loss;
    same = expected->same;
  }
  EXPECT_NEAR(loss, 0.3, 1e-6);
  EXPECT_NEAR(same, 0.88, 1e-6);
}

TEST_F(ExpectAnswersTest, OfEmbeddingsAreNoClasses) {
  AddCheck(2, 0.2f, -1);
  EXPECT_LT(ExpectAnswers(catalog_, 1)->same, 0);
}

}  // namespace
}  // namespace stint
