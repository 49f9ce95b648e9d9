// Plain packages by the policies that elastic ones are compared with.

#include <gtest/gtest.h>

#include "core/platform/cpu_info.h"
#include "core/testing/random_tensor.h"
#include "stint/convert.h"
#include "stint/session.h"
#include "weights/package/package.h"

namespace stint {
namespace {

constexpr int64_t kWidth = 512;
constexpr int64_t kLayers = 6;
constexpr int64_t kLayerBytes = kWidth * kWidth * 4;

// Linear layers behind a convolution.
Model MakeModel() {
  auto package = std::make_shared<Package>();
  package->graph = std::make_unique<Graph>();
  Graph& graph = *package->graph;
  ValueId x =
      graph.AddInput("x", ValueType::Of(DType::kFloat32, {1, 32, 4, 4}));
  x = graph.Add("conv", FusedConv{},
                {x, graph.AddConstant("c", RandomTensor({32, 32, 1, 1}, 7))});
  x = graph.Add("flat", Flatten{}, {x});
  for (int i = 0; i < kLayers; ++i) {
    const std::string name = "layer" + std::to_string(i);
    const ValueId w = graph.AddConstant(
        name + ".w",
        RandomTensor({kWidth, kWidth}, static_cast<uint64_t>(i) + 1, 0.1));
    x = graph.Add(name, FusedLinear{}, {x, kNoValue, w, kNoValue});
  }
  graph.MarkOutput(x);
  EXPECT_TRUE(InferGraph(&graph).ok());
  return Model(package);
}

class FullPolicies : public testing::Test {
 protected:
  void SetUp() override { Pack(32, std::nullopt); }

  void Pack(int bits, std::optional<Isa> isa) {
    PackOptions options;
    options.bits = bits;
    options.isa = isa;
    const auto report = PackModel(MakeModel(), path_, options);
    ASSERT_TRUE(report.ok()) << report.status().message();
  }

  Result<Session> Open(const std::string& policy, const Budget& budget = {},
                       const std::string& storage = "") {
    SessionOptions options;
    options.lab.policy = policy;
    options.budget = budget;
    options.lab.storage = storage;
    return Session::Create(Model::Open(path_).value(),
                           Runtime::Create({.threads = 2}).value(), options);
  }

  std::vector<float> Run(Session* session) {
    std::vector<Value> outputs;
    const Status status = session->RunInto({input_}, &outputs);
    EXPECT_TRUE(status.ok()) << status.message();
    if (!status.ok()) return {};
    const Tensor& y = outputs[0].tensor();
    return {y.data<float>(), y.data<float>() + y.size()};
  }

  const std::string path_ = testing::TempDir() + "/full_policies_test.stint";
  const Value input_ = RandomTensor({1, 32, 4, 4}, 9);
};

TEST_F(FullPolicies, GiveTheAnswerOfAPlainSession) {
  Session plain = Open("elastic").value();
  const std::vector<float> expected = Run(&plain);
  auto resident = Open("resident:32");
  ASSERT_TRUE(resident.ok()) << resident.status().message();
  auto streamed = Open("pipeline:32");
  ASSERT_TRUE(streamed.ok()) << streamed.status().message();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Run(&*resident), expected);
    EXPECT_EQ(Run(&*streamed), expected);
  }
  const PlanReport in_memory = resident->CurrentPlan().value();
  EXPECT_EQ(in_memory.mean_bits, 32);
  EXPECT_EQ(in_memory.stream_bytes, 0);
  EXPECT_GT(in_memory.preload_bytes, (kLayers - 1) * kLayerBytes);
  const PlanReport plan = streamed->CurrentPlan().value();
  EXPECT_EQ(plan.preload_bytes, 0);
  EXPECT_EQ(plan.stream_bytes, in_memory.preload_bytes);
  EXPECT_LT(plan.ring_bytes, 3 * kLayerBytes);  // panels are padded
  // Two runs to see how long they take, and three.
  EXPECT_EQ(streamed->Counts().bytes_read, 5 * plan.stream_bytes);
  EXPECT_EQ(streamed->Counts().runs, 3);
  EXPECT_EQ(resident->Counts().bytes_read, in_memory.preload_bytes);
}

TEST_F(FullPolicies, WaitForSlowStorage) {
  Session streamed = Open("pipeline:32", {}, "100MB/s,1ms").value();
  const PlanReport plan = streamed.Plan({input_}).value();
  EXPECT_GE(plan.predicted_ms,
            1e3 * static_cast<double>(plan.stream_bytes) / 100e6);
  EXPECT_GT(streamed.Counts().waits, 0);
}

TEST_F(FullPolicies, BudgetsThatDoNotFitAreRefused) {
  const auto prepare = [&](const std::string& policy, const Budget& budget) {
    return Open(policy, budget).value().Plan({input_}).status();
  };
  const Status memory = prepare("pipeline:32", {.memory_bytes = 1'000'000});
  EXPECT_EQ(memory.code(), StatusCode::kBudgetInfeasible);
  EXPECT_NE(memory.message().find("pipeline:32 takes"), std::string::npos);
  Budget quick;
  quick.latency = std::chrono::nanoseconds(1);
  EXPECT_EQ(prepare("resident:32", quick).code(),
            StatusCode::kBudgetInfeasible);
  Budget large;
  large.memory_bytes = int64_t{1} << 40;
  large.latency = std::chrono::seconds(100);
  EXPECT_TRUE(prepare("resident:32", large).ok());
}

TEST_F(FullPolicies, RefuseWhatNeedsPlansToChooseFrom) {
  const Status launch = Open("resident:32", {.from_launch = true}).status();
  EXPECT_EQ(launch.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(launch.message(),
            "policy resident:32 has no plans to choose from: a budget from "
            "launch needs policy elastic");
  const Status best = Open("pipeline:32", {.best_effort = true}).status();
  EXPECT_EQ(best.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(best.message(),
            "policy pipeline:32 has no plans to choose from: best effort needs "
            "policy elastic");
}

TEST_F(FullPolicies, SayWhereTheTimeOfARunWent) {
  Session streamed = Open("pipeline:32", {}, "100MB/s,1ms").value();
  (void)Run(&streamed);
  EXPECT_GT(streamed.Counts().last.rehearse_ms, 0);
  (void)Run(&streamed);
  const RunPhases last = streamed.Counts().last;
  EXPECT_LT(last.rehearse_ms, 0.1);
  EXPECT_GT(last.wait_ms, 10);
  EXPECT_GT(last.compute_ms, 0);
}

TEST_F(FullPolicies, NeedAPlainPackageOfThisMachine) {
  if (DetectIsa() > Isa::kBaseline) {
    Pack(32, Isa::kBaseline);
    Session other = Open("pipeline:32").value();
    const Status status = other.Plan({input_}).status();
    EXPECT_EQ(status.code(), StatusCode::kUnsupported);
    EXPECT_NE(status.message().find("on this machine"), std::string::npos)
        << status.message();
  }
  Pack(8, std::nullopt);
  EXPECT_EQ(Open("pipeline:32").status().message(),
            "policy pipeline:32 needs a plain package of the model (`stint "
            "pack --bits 32`), not an elastic one");
}

}  // namespace
}  // namespace stint
