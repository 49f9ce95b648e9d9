// Sessions of one runtime share its memory budget.

#include <gtest/gtest.h>

#include <fstream>

#include "core/platform/memory/memory.h"
#include "core/testing/foreign_heap.h"
#include "core/testing/random_tensor.h"
#include "stint/convert.h"
#include "stint/session.h"
#include "weights/package/package.h"

namespace stint {
namespace {

// Weights are much larger than what the test program itself takes.
constexpr int64_t kWidth = 2048;
constexpr int64_t kLayers = 4;

Model MakeModel() {
  auto package = std::make_shared<Package>();
  package->graph = std::make_unique<Graph>();
  Graph& graph = *package->graph;
  ValueId x = graph.AddInput("x", ValueType::Of(DType::kFloat32, {1, kWidth}));
  for (int i = 0; i < kLayers; ++i) {
    const std::string name = "layer" + std::to_string(i);
    const ValueId w = graph.AddConstant(
        name + ".w",
        RandomTensor({kWidth, kWidth}, static_cast<uint64_t>(i) + 1, 0.05f));
    x = graph.Add(name, FusedLinear{}, {x, kNoValue, w, kNoValue});
  }
  graph.MarkOutput(x);
  EXPECT_TRUE(InferGraph(&graph).ok());
  return Model(package);
}

class SharedMemory : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    path_ = testing::TempDir() + "/shared_memory_test.stint";
    const auto report = PackModel(MakeModel(), path_);
    ASSERT_TRUE(report.ok()) << report.status().message();
  }

  // Budgets are of the process's peak, which packing has raised.
  void SetUp() override {
    if (kForeignHeap)
      GTEST_SKIP() << "needs the memory of a program without sanitizers";
    std::ofstream("/proc/self/clear_refs") << 5;
    if (PeakResidentBytes() > ResidentBytes() + 1'000'000) {
      GTEST_SKIP() << "needs a kernel that lets a process forget its peak";
    }
    Measure();
  }

  static Session Open(const Runtime& runtime) {
    auto session = Session::Create(Model::Open(path_).value(), runtime);
    EXPECT_TRUE(session.ok()) << session.status().message();
    return std::move(session).value();
  }

  std::vector<float> Run(Session* session) {
    std::vector<Value> outputs;
    const Status status = session->RunInto({input_}, &outputs);
    EXPECT_TRUE(status.ok()) << status.message();
    if (!status.ok()) return {};
    const Tensor& y = outputs[0].tensor();
    return {y.data<float>(), y.data<float>() + y.size()};
  }

  static int64_t WeightsOf(const Session& session) {
    const PlanReport plan = session.CurrentPlan().value();
    return plan.preload_bytes + plan.ring_bytes;
  }

  // What the process takes without weights, and all weights of a session.
  void Measure() {
    const Runtime runtime =
        Runtime::Create({.threads = 2, .memory_bytes = int64_t{1} << 40})
            .value();
    Session session = Open(runtime);
    Run(&session);
    const PlanReport plan = session.CurrentPlan().value();
    weights_ = plan.preload_bytes;
    fixed_ = ResidentBytes() - weights_;
  }

  static std::string path_;
  const Value input_ = RandomTensor({1, kWidth}, 9);
  int64_t fixed_ = 0;
  int64_t weights_ = 0;
};

std::string SharedMemory::path_;

TEST_F(SharedMemory, TheSecondSessionGetsItsShareAndGivesItBack) {
  ASSERT_GT(weights_, 4'000'000);
  // The first session alone has all it wants, two have not.
  const int64_t budget = fixed_ + weights_ * 3 / 2;
  const Runtime runtime =
      Runtime::Create({.threads = 2, .memory_bytes = budget}).value();
  Session first = Open(runtime);
  const std::vector<float> whole = Run(&first);
  EXPECT_EQ(WeightsOf(first), weights_);
  {
    Session second = Open(runtime);
    EXPECT_FALSE(Run(&second).empty());
    EXPECT_LT(WeightsOf(second), weights_);
    EXPECT_GT(WeightsOf(second), weights_ / 4);
    for (int i = 0; i < 3; ++i) {
      EXPECT_FALSE(Run(&first).empty());
      EXPECT_FALSE(Run(&second).empty());
    }
    EXPECT_LE(PeakResidentBytes(), budget);
    EXPECT_LE(WeightsOf(first) + WeightsOf(second), budget - fixed_);
    EXPECT_GT(WeightsOf(first), weights_ / 4);
    // Shares that nobody changes do not make anybody plan.
    EXPECT_EQ(first.Counts().replans, 1);
    EXPECT_EQ(second.Counts().replans, 0);
  }
  EXPECT_EQ(Run(&first), whole);
  EXPECT_EQ(WeightsOf(first), weights_);
}

TEST_F(SharedMemory, APlainSessionMakesThoseThatStreamSmaller) {
  // In float32 the weights are four times as large.
  const int64_t budget = fixed_ + weights_ * 5;
  const Runtime runtime =
      Runtime::Create({.threads = 2, .memory_bytes = budget}).value();
  Session elastic = Open(runtime);
  Run(&elastic);
  EXPECT_EQ(WeightsOf(elastic), weights_);
  SessionOptions options;
  options.precision = Precision::kFloat32;
  auto plain = Session::Create(Model::Open(path_).value(), runtime, options);
  ASSERT_TRUE(plain.ok()) << plain.status().message();
  std::vector<Value> outputs;
  (void)plain->RunInto({input_}, &outputs);
  Run(&elastic);
  EXPECT_LT(WeightsOf(elastic), weights_);
  EXPECT_EQ(elastic.Counts().replans, 1);
}

TEST_F(SharedMemory, ASessionOfItsOwnMayHaveLess) {
  const Runtime runtime =
      Runtime::Create({.threads = 2, .memory_bytes = fixed_ + 4 * weights_})
          .value();
  Session session = Open(runtime);
  Run(&session);
  EXPECT_EQ(WeightsOf(session), weights_);
  const Status status =
      session.SetBudget({.memory_bytes = fixed_ + weights_ * 3 / 4});
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_LT(WeightsOf(session), weights_);
}

TEST_F(SharedMemory, TooLittleForTwoIsSaid) {
  const Runtime runtime =
      Runtime::Create({.threads = 2, .memory_bytes = fixed_ + weights_ / 16})
          .value();
  Session first = Open(runtime);
  Session second = Open(runtime);
  std::vector<Value> outputs;
  EXPECT_EQ(first.RunInto({input_}, &outputs).code(),
            StatusCode::kBudgetInfeasible);
  EXPECT_EQ(
      Runtime::Create({.threads = 1, .memory_bytes = -1}).status().message(),
      "memory is -1 bytes, expected 0 or more");
}

}  // namespace
}  // namespace stint
