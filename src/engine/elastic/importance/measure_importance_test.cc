#include "engine/elastic/importance/measure_importance.h"

#include <gtest/gtest.h>

#include <csignal>

#include "core/platform/file.h"
#include "core/platform/thread_pool.h"
#include "engine/elastic/importance/answer_loss.h"
#include "weights/store/elastic/set_importance.h"
#include "weights/store/package_file.h"
#include "weights/testing/elastic_model.h"

namespace stint {
namespace {

class MeasureImportanceTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = WriteElastic(MakeElasticModel(64), SmallShards());
    package_ = ReadPackage(path_).value();
    job_.package = &package_;
    job_.site = {DetectIsa(), 1};
    job_.pool = &pool_;
    for (int64_t i = 0; i < 3; ++i) {
      job_.samples.push_back(
          {Tensor::Vector<int64_t>({i, 99, 0, 42 + i, 3}).Reshaped({1, 5})});
    }
  }

  ThreadPool pool_{1};
  std::string path_;
  Package package_;
  ImportanceJob job_;
};

TEST_F(MeasureImportanceTest, FewerBitsCostMoreAndTheFileKeepsIt) {
  const auto catalog = MeasureImportance(job_);
  ASSERT_TRUE(catalog.ok()) << catalog.status().message();
  EXPECT_EQ(catalog->importance, ImportanceKind::kDistortion);
  const auto groups = static_cast<size_t>(catalog->groups());
  for (const CatalogLayer& layer : catalog->layers) {
    for (size_t i = 0; i + groups <= layer.importance.size(); i += groups) {
      EXPECT_GT(layer.importance[i], layer.importance[i + 2]);
      EXPECT_GT(layer.importance[i + 2], layer.importance[i + 6]);
    }
  }
  ASSERT_TRUE(SetImportance(path_, *catalog).ok());
  const auto again = ReadPackage(path_);
  ASSERT_TRUE(again.ok()) << again.status().message();
  const ShardCatalog& read = again->shards->catalog;
  EXPECT_EQ(read.importance, ImportanceKind::kDistortion);
  for (size_t l = 0; l < read.layers.size(); ++l) {
    EXPECT_EQ(read.layers[l].importance, catalog->layers[l].importance);
  }
  // Once more in place of the first.
  ASSERT_TRUE(SetImportance(path_, *catalog).ok());
  EXPECT_TRUE(ReadPackage(path_).ok());
}

TEST_F(MeasureImportanceTest, GoesOnWhereItWasKilled) {
  const auto expected = MeasureImportance(job_);
  ASSERT_TRUE(expected.ok());
  job_.journal = testing::TempDir() + "/importance_journal";
  EXPECT_EXIT(
      {
        job_.progress = [](int64_t done, int64_t total) {
          if (done == total / 2) std::raise(SIGKILL);
        };
        (void)MeasureImportance(job_);
      },
      testing::KilledBySignal(SIGKILL), "");
  ASSERT_TRUE(FileExists(job_.journal));
  int64_t fresh = 0;
  const int64_t size = static_cast<int64_t>(ReadFile(job_.journal)->size());
  job_.progress = [&](int64_t, int64_t) {
    const auto now = ReadFile(job_.journal);
    fresh += now.ok() && static_cast<int64_t>(now->size()) > size ? 1 : 0;
  };
  const auto resumed = MeasureImportance(job_);
  ASSERT_TRUE(resumed.ok()) << resumed.status().message();
  EXPECT_FALSE(FileExists(job_.journal));
  EXPECT_GT(fresh, 0);
  for (size_t l = 0; l < resumed->layers.size(); ++l) {
    EXPECT_EQ(resumed->layers[l].importance, expected->layers[l].importance);
  }
}

TEST_F(MeasureImportanceTest, RightClassesChangeWhatShardsCost) {
  const auto by_answers = MeasureImportance(job_);
  job_.labels = {0, 29, 7};
  const auto by_labels = MeasureImportance(job_);
  ASSERT_TRUE(by_answers.ok() && by_labels.ok());
  EXPECT_EQ(by_labels->importance, ImportanceKind::kLabels);
  EXPECT_NE(by_labels->layers[0].importance, by_answers->layers[0].importance);
  job_.labels = {1, 28, 7};
  const auto others = MeasureImportance(job_);
  ASSERT_TRUE(others.ok());
  EXPECT_NE(others->layers[0].importance, by_labels->layers[0].importance);
}

TEST_F(MeasureImportanceTest, ALabelIsAClassOfTheModel) {
  job_.labels = {1, 150, 1};
  EXPECT_EQ(MeasureImportance(job_).status().message(),
            "sample 1 has class 150, the model has 150 classes");
}

TEST_F(MeasureImportanceTest, SaysWhatIsWrongWithTheSamples) {
  job_.labels = {1};
  EXPECT_EQ(MeasureImportance(job_).status().code(),
            StatusCode::kInvalidArgument);
  job_.samples.clear();
  EXPECT_EQ(MeasureImportance(job_).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(AnswerLoss, OfClassesIsTheDivergence) {
  const Tensor even = Tensor::Vector<float>({0, 0});
  const Tensor shifted = Tensor::Vector<float>({5, 5});
  const Tensor sure = Tensor::Vector<float>({0, 1});
  EXPECT_NEAR(AnswerLoss(OutputMeaning::kClassLogits, even, shifted), 0, 1e-12);
  // 0.5 log(0.5 / 0.2689) + 0.5 log(0.5 / 0.7311)
  EXPECT_NEAR(AnswerLoss(OutputMeaning::kClassLogits, even, sure), 0.12011,
              1e-5);
}

TEST(AnswerLoss, OfTheRightClassIsItsLogProbability) {
  const Tensor even = Tensor::Vector<float>({0, 0});
  const Tensor sure = Tensor::Vector<float>({-1, 0});
  // log(0.5 / 0.7311) and log(0.5 / 0.2689)
  EXPECT_NEAR(LabelLoss(even, sure, 1), -0.37989, 1e-5);
  EXPECT_NEAR(LabelLoss(even, sure, 0), 0.62011, 1e-5);
  EXPECT_NEAR(ClassLoss(even, sure), 0.12011, 1e-5);
  // Probabilities say the same as the logits they come from.
  const Tensor half = Tensor::Vector<float>({0.5f, 0.5f});
  const Tensor surer = Tensor::Vector<float>({0.26894142f, 0.73105858f});
  EXPECT_NEAR(LabelLoss(half, surer, 0), 0.62011, 1e-5);
  EXPECT_NEAR(ClassLoss(half, surer), 0.12011, 1e-5);
}

TEST(AnswerLoss, OfEmbeddingsIsTheAngle) {
  const Tensor a = Tensor::Vector<float>({3, 0});
  const Tensor b = Tensor::Vector<float>({0, 2});
  EXPECT_NEAR(AnswerLoss(OutputMeaning::kSentenceEmbedding, a, b), 1, 1e-9);
  EXPECT_NEAR(AnswerLoss(OutputMeaning::kSentenceEmbedding, a, a), 0, 1e-9);
  EXPECT_NEAR(AnswerLoss(OutputMeaning::kUnknown, a, b), 13.0 / 9, 1e-6);
}

}  // namespace
}  // namespace stint
