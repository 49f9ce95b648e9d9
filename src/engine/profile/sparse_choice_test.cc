// Sparse convolutions run as was measured to be fastest.

#include <gtest/gtest.h>

#include "core/testing/random_tensor.h"
#include "engine/device/conv_costs.h"
#include "engine/lower/lower_graph.h"
#include "engine/run/graph_runner.h"
#include "engine/run/step_choices.h"

namespace stint {
namespace {

constexpr int64_t kChannels = 16;
constexpr int64_t kSize = 9;

// A dense convolution, then one that has one weight in 20.
Graph Build() {
  Graph graph;
  ValueId x = graph.AddInput(
      "x", ValueType::Of(DType::kFloat32, {1, kChannels, kSize, kSize}));
  for (int64_t keep : {1, 20}) {
    Tensor w = RandomTensor({kChannels, kChannels, 3, 3}, 1);
    for (int64_t i = 0; i < w.size(); ++i) {
      if ((i * 2654435761 >> 9) % keep != 0) w.data<float>()[i] = 0;
    }
    FusedConv conv;
    conv.pads = {1, 1, 1, 1};
    const std::string name = "keep" + std::to_string(keep);
    x = graph.Add(name, conv,
                  {x, graph.AddConstant(name + ".w", std::move(w))});
  }
  graph.MarkOutput(x);
  EXPECT_TRUE(InferGraph(&graph).ok());
  return graph;
}

// Of both layers.
std::string LayerName() {
  ConvF32Shape s;
  s.in_channels = s.out_channels = kChannels;
  s.in_h = s.in_w = s.out_h = s.out_w = kSize;
  s.kernel_h = s.kernel_w = 3;
  s.pad_top = s.pad_left = 1;
  return ConvLayerName(s, ImageLayout::kBlocked);
}

// How the sparse layer runs, with weights as packed before or not.
StepChoice ChoiceOn(const Graph& graph, const KernelSite& site,
                    PackedTable* packed) {
  const auto lowered = LowerGraph(graph, site).value();
  ThreadPool pool(1);
  GraphRunner runner(lowered.get(), site, &pool);
  if (!packed->empty()) runner.set_packed(packed);
  EXPECT_TRUE(runner.Prepare().ok());
  const std::vector<Value> inputs = {
      Value(RandomTensor({1, kChannels, kSize, kSize}, 9))};
  std::vector<Value> outputs;
  EXPECT_TRUE(runner.RunInto(inputs, &outputs).ok());
  *packed = runner.packed();
  return StepChoicesOf(runner).back();
}

TEST(SparseChoice, GathersAsMeasuredToBeFastest) {
  const Graph graph = Build();
  const std::string names[] = {"sparse", "sparse_im2col", "sparse_spatial"};
  for (const std::string& fastest : names) {
    std::vector<PrimitiveCost> times = {{"direct", 1000}};
    for (const std::string& name : names) {
      times.push_back({name + "1@10", name == fastest ? 10.0 : 20.0});
      times.push_back({name + "1@40", name == fastest ? 40.0 : 80.0});
    }
    auto costs = std::make_shared<ConvCosts>();
    costs->Set(LayerName(), times);
    KernelSite site{DetectIsa(), 1};
    site.conv_costs = costs;
    PackedTable packed;
    for (int pass = 0; pass < 2; ++pass) {
      const StepChoice choice = ChoiceOn(graph, site, &packed);
      EXPECT_EQ(choice.schedule, fastest + ":1") << pass;
      EXPECT_EQ(choice.reason, "measured") << pass;
    }
  }
}

TEST(SparseChoice, RunsDenseWhereThatWasMeasuredToBeFaster) {
  auto costs = std::make_shared<ConvCosts>();
  costs->Set(
      LayerName(),
      {{"direct", 1}, {"sparse_spatial1@10", 10}, {"sparse_spatial1@40", 40}});
  KernelSite site{DetectIsa(), 1};
  site.conv_costs = costs;
  PackedTable packed;
  EXPECT_TRUE(ChoiceOn(Build(), site, &packed).kernel.starts_with("direct_"));
}

}  // namespace
}  // namespace stint
