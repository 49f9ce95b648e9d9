#include "engine/profile/tune_convolutions.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/lower/lower_graph.h"
#include "engine/profile/time_primitives.h"
#include "engine/run/step_choices.h"

namespace stint {
namespace {

Tensor Ones(const Shape& shape) {
  Tensor tensor = Tensor::Allocate(DType::kFloat32, shape).value();
  std::fill_n(tensor.data<float>(), tensor.size(), 1.0f);
  return tensor;
}

// Two equal 3x3 layers and a depthwise one, of which there is one primitive.
struct TuneCase {
  TuneCase() {
    x = graph.AddInput("x", ValueType::Of(DType::kFloat32, {1, 16, 8, 8}));
    FusedConv conv;
    conv.pads = {1, 1, 1, 1};
    const ValueId w = graph.AddConstant("w", Ones({16, 16, 3, 3}));
    const ValueId a = graph.Add("a", conv, {x, w});
    const ValueId b = graph.Add("b", conv, {a, w});
    FusedConv scale;
    scale.group = 16;
    graph.MarkOutput(graph.Add(
        "c", scale, {b, graph.AddConstant("d", Ones({16, 1, 1, 1}))}));
    EXPECT_TRUE(InferGraph(&graph).ok());
    inputs = {Value(Ones({1, 16, 8, 8}))};
  }

  Graph graph;
  ValueId x;
  std::vector<Value> inputs;
};

TEST(TuneConvolutions, MeasuresEachDistinctLayerAndRunsUseIt) {
  const TuneCase c;
  ThreadPool pool(1);
  TuneOptions options;
  options.site = {DetectIsa(), 1};
  options.pool = &pool;
  int64_t told = 0;
  options.progress = [&](int64_t done, int64_t) { told = done; };
  auto costs = std::make_shared<ConvCosts>();
  const auto layers = TuneConvolutions(c.graph, c.inputs, options, costs.get());
  ASSERT_TRUE(layers.ok()) << layers.status().message();
  ASSERT_EQ(layers->size(), 1u);
  EXPECT_EQ((*layers)[0].count, 2);
  EXPECT_EQ(told, 2);  // distinct layers, the depthwise one too
  ASSERT_NE(costs->Find((*layers)[0].layer), nullptr);
  EXPECT_GE(costs->Find((*layers)[0].layer)->size(), 3u);

  KernelSite site = options.site;
  site.conv_costs = costs;
  const auto lowered = LowerGraph(c.graph, site);
  ASSERT_TRUE(lowered.ok());
  GraphRunner runner(lowered->get(), site, &pool);
  ASSERT_TRUE(runner.Prepare().ok());
  ASSERT_TRUE(runner.Run(c.inputs).ok());
  const std::vector<StepChoice> choices = StepChoicesOf(runner);
  ASSERT_EQ(choices.size(), 3u);
  EXPECT_EQ(choices[0].reason, "measured");
  EXPECT_EQ(choices[1].kernel, choices[0].kernel);
  EXPECT_EQ(choices[2].reason, "default");
}

TEST(TimePrimitives, TimesSparseWeightsInEveryFormThatDiffers) {
  ConvF32Shape s;
  s.in_channels = s.out_channels = 16;
  s.in_h = s.in_w = s.out_h = s.out_w = 8;
  s.kernel_h = s.kernel_w = 3;
  s.pad_top = s.pad_left = 1;
  const auto count = [](const ConvF32Shape& shape, const std::string& name) {
    ThreadPool pool(2);
    const auto costs = TimePrimitives(shape, ImageLayout::kBlocked, DetectIsa(),
                                      &pool, /*with_sparse=*/true);
    EXPECT_TRUE(costs.ok());
    return std::count_if(
        costs->begin(), costs->end(),
        [&](const PrimitiveCost& cost) { return cost.primitive == name; });
  };
  for (const char* name : {"sparse4@10", "sparse4@40", "sparse_im2col1@10",
                           "sparse_spatial8@40"}) {
    EXPECT_EQ(count(s, name), 1) << name;
  }
  s.kernel_h = s.kernel_w = 1;
  s.pad_top = s.pad_left = 0;
  EXPECT_EQ(count(s, "sparse_spatial4@10"), 1);
  EXPECT_EQ(count(s, "sparse_im2col4@10"), 0);
}

}  // namespace
}  // namespace stint
