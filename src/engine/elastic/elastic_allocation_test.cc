// A run on codes with shapes seen before allocates nothing, whether weights and
// rows are in memory or come from storage.

#include <gtest/gtest.h>

#include "core/testing/count_allocations.h"
#include "engine/elastic/elastic_runner.h"
#include "weights/store/package_file.h"
#include "weights/testing/elastic_model.h"

namespace stint {
namespace {

// Allocations of 20 runs after a few. Each asks for other rows, of a table that
// is larger than what is cached of it.
int64_t AllocationsOfRuns(const std::string& policy, bool io_uring) {
  Package package =
      ReadPackage(WriteElastic(MakeElasticModel(64), SmallShards())).value();
  ThreadPool pool(2);
  ElasticRunOptions options;
  options.policy = policy;
  options.io_uring = io_uring;
  const auto runner =
      ElasticRunner::Create(&package, {DetectIsa(), 2}, &pool, options).value();
  std::vector<std::vector<Value>> inputs;
  for (int64_t i = 0; i < 20; ++i) {
    inputs.push_back({Tensor::Vector<int64_t>({i, 99 - i, 2 * i, 42, i + 50})
                          .Reshaped({1, 5})});
  }
  std::vector<Value> outputs;
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(runner->RunInto(inputs[0], &outputs, {}).ok());
  }
  const int64_t before = allocations.load();
  for (const auto& input : inputs) {
    EXPECT_TRUE(runner->RunInto(input, &outputs, {}).ok());
  }
  return allocations.load() - before;
}

TEST(ElasticAllocation, RunsOnPinnedCodesAllocateNothing) {
  EXPECT_EQ(AllocationsOfRuns("resident:4", true), 0);
}

TEST(ElasticAllocation, RunsOnStreamedCodesAllocateNothing) {
  EXPECT_EQ(AllocationsOfRuns("pipeline:4", true), 0);
  EXPECT_EQ(AllocationsOfRuns("pipeline:4", false), 0);
}

}  // namespace
}  // namespace stint
