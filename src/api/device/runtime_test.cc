// What the options of a runtime and of a budget say happens.

#include "stint/runtime.h"

#include <gtest/gtest.h>

#include "core/platform/file.h"
#include "core/platform/temporary_folder.h"
#include "stint/budget.h"
#include "stint/session.h"
#include "weights/testing/elastic_model.h"

namespace stint {
namespace {

// A session that has measured what its layers take.
void RunWithin(const std::string& cache_folder) {
  const Runtime runtime =
      Runtime::Create({.threads = 1, .cache_folder = cache_folder}).value();
  SessionOptions options;
  options.budget.latency = std::chrono::seconds(10);
  auto session =
      Session::Create(
          Model::Open(WriteElastic(MakeElasticModel(64), SmallShards()))
              .value(),
          runtime, options)
          .value();
  std::vector<Value> outputs;
  const Status status = session.RunInto(
      {Tensor::Vector<int64_t>({3, 99, 0, 42, 3}).Reshaped({1, 5})}, &outputs);
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(Runtime, KeepsMeasurementsInItsCacheFolder) {
  const TemporaryFolder folder = TemporaryFolder::Make().value();
  RunWithin("");
  EXPECT_TRUE(ListDirectory(folder.path()).value().empty());
  RunWithin(folder.path());
  EXPECT_FALSE(ListDirectory(folder.path()).value().empty());
}

TEST(LimitByEnergy, LowersTheLatencyToJoulesOverWatts) {
  Budget budget;
  budget.joules = 3;
  budget.watts = 6;
  ASSERT_TRUE(LimitByEnergy(&budget).ok());
  EXPECT_EQ(budget.latency, std::chrono::milliseconds(500));
  budget.latency = std::chrono::milliseconds(100);
  ASSERT_TRUE(LimitByEnergy(&budget).ok());
  EXPECT_EQ(budget.latency, std::chrono::milliseconds(100));
}

TEST(LimitByEnergy, RefusesLessThanNothing) {
  Budget budget;
  budget.joules = -1;
  EXPECT_EQ(LimitByEnergy(&budget).code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace stint
