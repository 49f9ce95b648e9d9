#pragma once
// A runner on a small elastic file, for tests of its answers and its budgets.

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "engine/elastic/elastic_runner.h"
#include "weights/store/elastic/shard_reader.h"
#include "weights/store/package_file.h"
#include "weights/testing/elastic_model.h"

namespace stint {

class ElasticRunnerTest : public testing::Test {
 protected:
  static constexpr int64_t kWidth = 64;

  void SetUp() override {
    path_ = WriteElastic(MakeElasticModel(kWidth), SmallShards());
    package_ = ReadPackage(path_).value();
    inputs_ = {Tensor::Vector<int64_t>({3, 99, 0, 42, 3}).Reshaped({1, 5})};
  }

  std::unique_ptr<ElasticRunner> Open(ElasticRunOptions options = {}) {
    auto runner =
        ElasticRunner::Create(&package_, {DetectIsa(), 2}, &pool_, options);
    EXPECT_TRUE(runner.ok()) << runner.status().message();
    return std::move(runner).value();
  }

  std::vector<float> Run(ElasticRunner* runner) {
    std::vector<Value> outputs;
    const Status status = runner->RunInto(inputs_, &outputs, {});
    EXPECT_TRUE(status.ok()) << status.message();
    if (!status.ok()) return {};
    const Tensor& y = outputs[0].tensor();
    return {y.data<float>(), y.data<float>() + y.size()};
  }

  // In float32, on weights restored at the highest fidelity.
  std::vector<float> Expected() {
    EXPECT_TRUE(RestoreShards(*package_.shards, package_.graph.get()).ok());
    GraphRunner runner(package_.graph.get(), {DetectIsa(), 2}, &pool_);
    EXPECT_TRUE(runner.Prepare().ok());
    const auto outputs = runner.Run(inputs_);
    EXPECT_TRUE(outputs.ok()) << outputs.status().message();
    const Tensor& y = (*outputs)[0].tensor();
    std::vector<float> numbers(y.data<float>(), y.data<float>() + y.size());
    package_ = ReadPackage(path_).value();
    return numbers;
  }

  static double RelativeError(const std::vector<float>& a,
                              const std::vector<float>& b) {
    double error = 0, energy = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      error += std::pow(double{a[i]} - double{b[i]}, 2);
      energy += std::pow(double{a[i]}, 2);
    }
    return std::sqrt(error / energy);
  }

  // The file gets sub-networks that are worth their loss.
  void UseSubNetworks() {
    Package model = MakeElasticModel(kWidth);
    model.sub_networks = {{{0}, 2, 0}, {{0}, 1, 0}};
    path_ = WriteElastic(model, SmallShards());
    AddImportance(path_);
    package_ = ReadPackage(path_).value();
  }

  // Less and less time, until the plan takes a sub-network. What the rehearsal
  // measured stays, so that plans only depend on the budget.
  static bool Narrow(ElasticRunner* runner, int64_t memory_bytes = 0) {
    const double predicted_ns = runner->plan().predicted.latency_ns;
    for (double share = 0.98; share > 0.1; share -= 0.02) {
      Budget less;
      less.memory_bytes = memory_bytes;
      less.latency =
          std::chrono::nanoseconds(static_cast<int64_t>(share * predicted_ns));
      if (runner->SetBudget(less).ok() && runner->Report().width < 4) {
        return true;
      }
    }
    return false;
  }

  ThreadPool pool_{2};
  std::string path_;
  Package package_;
  std::vector<Value> inputs_;
};

}  // namespace stint
