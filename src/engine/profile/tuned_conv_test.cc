// Convolutions by tuned schedules: that they answer as others do, also for
// images that nobody tuned for.

#include <gtest/gtest.h>

#include "core/testing/random_tensor.h"
#include "engine/device/conv_costs.h"
#include "engine/device/conv_schedules.h"
#include "engine/lower/lower_graph.h"
#include "engine/run/graph_runner.h"
#include "engine/run/step_choices.h"

namespace stint {
namespace {

constexpr int64_t kChannels = 32;

// One convolution of images of any size.
Graph Build(const std::string& activation) {
  Graph graph;
  const ValueId x = graph.AddInput(
      "x",
      ValueType::Of(DType::kFloat32, {1, kChannels, kUnknownDim, kUnknownDim}));
  FusedConv conv;
  conv.pads = {1, 1, 1, 1};
  conv.kernel_shape = {3, 3};
  conv.activation = activation;
  const ValueId w =
      graph.AddConstant("w", RandomTensor({kChannels, kChannels, 3, 3}, 1));
  graph.MarkOutput(graph.Add("conv", conv, {x, w}));
  EXPECT_TRUE(InferGraph(&graph).ok());
  return graph;
}

std::string Layer(int64_t size) {
  ConvF32Shape s;
  s.in_channels = s.out_channels = kChannels;
  s.in_h = s.in_w = s.out_h = s.out_w = size;
  s.kernel_h = s.kernel_w = 3;
  s.pad_top = s.pad_left = 1;
  return ConvLayerName(s, ImageLayout::kBlocked);
}

struct Running {
  Running(const Graph& graph, const KernelSite& site)
      : lowered(LowerGraph(graph, site).value()),
        pool(2),
        runner(lowered.get(), site, &pool) {
    EXPECT_TRUE(runner.Prepare().ok());
  }
  std::vector<float> Answer(int64_t size) {
    std::vector<Value> outputs;
    const std::vector<Value> inputs = {
        Value(RandomTensor({1, kChannels, size, size}, 9))};
    const Status status = runner.RunInto(inputs, &outputs);
    EXPECT_TRUE(status.ok()) << status.message();
    if (!status.ok()) return {};
    const Tensor& y = outputs[0].tensor();
    return {y.data<float>(), y.data<float>() + y.size()};
  }
  std::string Kernel() {
    const auto choices = StepChoicesOf(runner);
    return choices.empty() ? "" : choices[0].kernel + " " + choices[0].reason;
  }

  std::unique_ptr<Graph> lowered;
  ThreadPool pool;
  GraphRunner runner;
};

KernelSite Tuned(const ConvPlan& plan, std::vector<int64_t> sizes) {
  KernelSite site{DetectIsa(), 2};
  auto schedules = std::make_shared<ConvSchedules>();
  for (int64_t size : sizes) schedules->Set(Layer(size), {plan, 1, 2});
  site.schedules = schedules;
  return site;
}

void ExpectSame(const std::vector<float>& found,
                const std::vector<float>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(found[i], expected[i], 1e-3) << i;
  }
}

TEST(TunedConv, AnswersAsTheDefaultForEveryImage) {
  const Graph graph = Build("none");
  Running plain(graph, {DetectIsa(), 2});
  for (const char* text :
       {"generated:t4x2:g2x1:h2", "direct:t5x1:c1:g1x2", "winograd2:g2x1"}) {
    SCOPED_TRACE(text);
    Running tuned(graph, Tuned(*ParseConvPlan(text), {10, 12}));
    for (int64_t size : {10, 11, 12, 10}) {
      ExpectSame(tuned.Answer(size), plain.Answer(size));
      EXPECT_EQ(tuned.Kernel().ends_with(" tuned"), size != 11)
          << tuned.Kernel() << " at " << size;
    }
  }
}

TEST(TunedConv, LeavesCurvesToCompiledKernels) {
  const Graph graph = Build("silu");
  Running plain(graph, {DetectIsa(), 2});
  Running tuned(graph, Tuned({"generated", {}}, {10}));
  ExpectSame(tuned.Answer(10), plain.Answer(10));
  EXPECT_EQ(tuned.Kernel().find("generated"), std::string::npos);
}

}  // namespace
}  // namespace stint
