#include "engine/opencl/opencl_runner.h"

#include <gtest/gtest.h>

#include "core/platform/file.h"
#include "core/platform/temporary_folder.h"
#include "engine/opencl/testing/opencl_case.h"

namespace stint {
namespace {

constexpr int64_t kChannels = 20;

// A convolution and its mean over the picture, for any batch and picture.
struct SmallNet {
  SmallNet() {
    const ValueId x = graph.AddInput(
        "x",
        ValueType::Of(DType::kFloat32, {graph.Symbol("n"), 3, graph.Symbol("h"),
                                        graph.Symbol("w")}));
    FusedConv conv;
    conv.pads = {1, 1, 1, 1};
    conv.lo = 0;
    const ValueId y = graph.Add(
        "conv", conv,
        {x, graph.AddConstant(
                "w", KernelCase::MakeTensor({{kChannels, 3, 3, 3}}, 1))});
    graph.MarkOutput(graph.Add("mean", GlobalAveragePool{}, {y}));
    EXPECT_TRUE(InferGraph(&graph).ok());
  }
  Graph graph;
};

std::vector<float> OnCpu(const Graph& graph, const Value& input) {
  ThreadPool pool(1);
  GraphRunner runner(&graph, {DetectIsa(), 1}, &pool);
  EXPECT_TRUE(runner.Prepare().ok());
  const auto outputs = runner.Run({input});
  EXPECT_TRUE(outputs.ok());
  const auto elements = Elements((*outputs)[0].tensor());
  return {elements.begin(), elements.end()};
}

class OpenClRunnerTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    device_ = TestDevice({}, &why);
    if (device_ == nullptr) {
      GTEST_SKIP() << "no OpenCL device to test with: " << why;
    }
    runner_ = std::make_unique<OpenClRunner>(
        &net_.graph, device_, KernelSite{DetectIsa(), 1}, &pool_);
  }

  SmallNet net_;
  ThreadPool pool_{1};
  std::shared_ptr<OpenClDevice> device_;
  std::unique_ptr<OpenClRunner> runner_;
};

TEST_F(OpenClRunnerTest, AnswersAsTheCpuDoesForEveryShape) {
  std::vector<Value> outputs;
  for (int64_t size : {5, 32, 5, 7, 8, 9, 10}) {
    const Value x = KernelCase::MakeTensor({{2, 3, size, size + 1}}, 3);
    ASSERT_TRUE(runner_->RunInto({{x}}, &outputs).ok());
    ExpectClose(Elements(outputs[0].tensor()), OnCpu(net_.graph, x), 1e-4);
  }
}

TEST_F(OpenClRunnerTest, WeightsAreOnTheDeviceOnceForAllShapes) {
  std::vector<Value> outputs;
  ASSERT_TRUE(
      runner_->RunInto({{KernelCase::MakeTensor({{1, 3, 8, 8}}, 3)}}, &outputs)
          .ok());
  const int64_t bytes = runner_->weight_bytes();
  EXPECT_GE(bytes, kChannels * 27 * 4);
  ASSERT_TRUE(
      runner_->RunInto({{KernelCase::MakeTensor({{1, 3, 9, 9}}, 3)}}, &outputs)
          .ok());
  EXPECT_EQ(runner_->weight_bytes(), bytes);
}

TEST_F(OpenClRunnerTest, WritesIntoOutputsThatFit) {
  const Value x = KernelCase::MakeTensor({{1, 3, 8, 8}}, 3);
  std::vector<Value> outputs = {
      Tensor::Allocate(DType::kFloat32, {1, kChannels, 1, 1}).value()};
  const void* before = outputs[0].tensor().raw();
  ASSERT_TRUE(runner_->RunInto({{x}}, &outputs).ok());
  EXPECT_EQ(outputs[0].tensor().raw(), before);
}

TEST_F(OpenClRunnerTest, StopsWhenCancelled) {
  const std::atomic<bool> cancel = true;
  RunLimits limits;
  limits.cancel = &cancel;
  std::vector<Value> outputs;
  EXPECT_EQ(runner_
                ->RunInto({{KernelCase::MakeTensor({{1, 3, 8, 8}}, 3)}},
                          &outputs, limits)
                .code(),
            StatusCode::kCancelled);
}

TEST_F(OpenClRunnerTest, ObserverSeesEveryStep) {
  struct Counter : StepObserver {
    void OnStep(const Node& node, int64_t start_ns, int64_t end_ns) override {
      names.push_back(node.name);
      EXPECT_LE(start_ns, end_ns);
    }
    std::vector<std::string> names;
  } counter;
  runner_->set_observer(&counter);
  std::vector<Value> outputs;
  ASSERT_TRUE(
      runner_->RunInto({{KernelCase::MakeTensor({{1, 3, 8, 8}}, 3)}}, &outputs)
          .ok());
  EXPECT_EQ(counter.names, (std::vector<std::string>{"conv", "mean"}));
}

TEST_F(OpenClRunnerTest, NamesEveryNodeWithoutAKernel) {
  Graph graph;
  const ValueId x =
      graph.AddInput("x", ValueType::Of(DType::kFloat32, {1, 4, 4, 4}));
  const ValueId a = graph.Add("first", LRN{}, {x});
  const ValueId b = graph.Add("fine", Unary{UnaryKind::kRelu}, {a});
  graph.MarkOutput(graph.Add("second", LpNormalization{}, {b}));
  ASSERT_TRUE(InferGraph(&graph).ok());
  OpenClRunner runner(&graph, device_, {DetectIsa(), 1}, &pool_);
  std::vector<Value> outputs;
  const Status status =
      runner.RunInto({{KernelCase::MakeTensor({{1, 4, 4, 4}}, 3)}}, &outputs);
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_EQ(status.message(),
            "OpenCL has no kernel for node 'first' (LRN), node 'second' "
            "(LpNormalization)");
}

TEST_F(OpenClRunnerTest, RefusesOtherElementTypes) {
  Graph graph;
  const ValueId x = graph.AddInput("x", ValueType::Of(DType::kInt64, {4}));
  graph.MarkOutput(graph.Add("neg", Unary{UnaryKind::kNeg}, {x}));
  ASSERT_TRUE(InferGraph(&graph).ok());
  OpenClRunner runner(&graph, device_, {DetectIsa(), 1}, &pool_);
  std::vector<Value> outputs;
  const Status status = runner.RunInto(
      {{Value(Tensor::Vector<int64_t>({1, 2, 3, 4}))}}, &outputs);
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_NE(status.message().find("node 'neg' (Neg)"), std::string::npos)
      << status.message();
}

TEST_F(OpenClRunnerTest, CompiledKernelsComeFromTheCacheUntilItIsDamaged) {
  const auto folder = TemporaryFolder::Make();
  ASSERT_TRUE(folder.ok());
  const auto open = [&] {
    auto device = OpenClDevice::Open("opencl:0", {folder->path(), {}});
    EXPECT_TRUE(device.ok()) << device.status().message();
    return *device;
  };
  EXPECT_FALSE(open()->from_cache());
  EXPECT_TRUE(open()->from_cache());
  const auto names = ListDirectory(folder->path());
  ASSERT_TRUE(names.ok());
  ASSERT_EQ(names->size(), 1u);
  const std::string path = JoinPath(folder->path(), names->front());
  ASSERT_TRUE(WriteFileAtomically(path, "stint opencl 1\n").ok());
  EXPECT_FALSE(open()->from_cache());
  EXPECT_TRUE(open()->from_cache());
}

TEST(OpenClDevice, NamesAreOpenClAndANumber) {
  EXPECT_TRUE(IsOpenClName("opencl:0"));
  EXPECT_TRUE(IsOpenClName("opencl:12"));
  for (const char* name : {"", "cpu", "opencl", "opencl:", "opencl:-1",
                           "opencl:x", "opencl:1x", "OpenCL:0"}) {
    EXPECT_FALSE(IsOpenClName(name)) << name;
  }
}

TEST(OpenClDevice, ADeviceThatIsNotThereIsUnsupported) {
  const auto device = OpenClDevice::Open("opencl:999", {});
  EXPECT_EQ(device.status().code(), StatusCode::kUnsupported);
  EXPECT_NE(device.status().message().find("device 'opencl:999'"),
            std::string::npos)
      << device.status().message();
}

}  // namespace
}  // namespace stint
