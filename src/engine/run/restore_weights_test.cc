#include "engine/bind/restore_weights.h"

#include <gtest/gtest.h>

#include <cstring>

#include "core/testing/random_tensor.h"
#include "engine/lower/lower_graph.h"
#include "engine/run/graph_runner.h"
#include "engine/run/zero_inputs.h"

namespace stint {
namespace {

// Two layers side by side, and a convolution with groups.
void Build(int64_t transposed, Graph* graph) {
  const ValueId x =
      graph->AddInput("x", ValueType::Of(DType::kFloat32, {4, 20}));
  FusedLinear linear;
  linear.transB = transposed;
  const auto weight = [&](const char* name, int64_t n) {
    const Shape shape = transposed ? Shape{n, 20} : Shape{20, n};
    return graph->AddConstant(name, RandomTensor(shape, 3 + n));
  };
  graph->MarkOutput(graph->Add(
      "linear", linear,
      {x, kNoValue, weight("w0", 30), kNoValue, weight("w1", 7), kNoValue}));
  const ValueId image =
      graph->AddInput("image", ValueType::Of(DType::kFloat32, {1, 32, 9, 9}));
  FusedConv conv;
  conv.group = 2;
  graph->MarkOutput(graph->Add(
      "conv", conv,
      {image, graph->AddConstant("w", RandomTensor({32, 16, 3, 3}, 5))}));
  ASSERT_TRUE(InferGraph(graph).ok());
}

TEST(RestoreWeights, GivesBackWhatWasPacked) {
  for (int64_t transposed : {0, 1}) {
    Graph graph;
    Build(transposed, &graph);
    const KernelSite site{DetectIsa(), 1};
    const auto lowered = LowerGraph(graph, site).value();
    ThreadPool pool(1);
    GraphRunner runner(lowered.get(), site, &pool);
    ASSERT_TRUE(runner.Prepare().ok());
    ASSERT_TRUE(runner.CostFor(ZeroInputs(*lowered, {}).value()).ok());
    const PackedTable packed = runner.packed();
    EXPECT_EQ(packed.size(), 2u);
    const auto restored = graph.Clone();
    for (size_t i = 0; i < restored->num_values(); ++i) {
      auto& constant = restored->value({static_cast<int32_t>(i)}).constant;
      if (constant) constant->DropElements();
    }
    const Status status = RestoreWeights(packed, restored.get());
    ASSERT_TRUE(status.ok()) << status.message();
    for (size_t i = 0; i < restored->num_values(); ++i) {
      const ValueId id{static_cast<int32_t>(i)};
      if (!graph.value(id).constant) continue;
      const Tensor& expected = *graph.value(id).constant;
      const Tensor& found = *restored->value(id).constant;
      ASSERT_EQ(found.shape(), expected.shape());
      EXPECT_EQ(std::memcmp(found.raw(), expected.raw(), found.bytes()), 0)
          << graph.value(id).name;
    }
  }
}

TEST(RestoreWeights, NamesTheNodeThatHasNoWayBack) {
  Graph graph;
  Build(0, &graph);
  for (size_t i = 0; i < graph.num_values(); ++i) {
    auto& constant = graph.value({static_cast<int32_t>(i)}).constant;
    if (constant) constant->DropElements();
  }
  EXPECT_NE(RestoreWeights({}, &graph).message().find("'linear'"),
            std::string::npos);
  const PackedTable other = {{"linear", {"gemm_s8/vnni", {}}}};
  const Status status = RestoreWeights(other, &graph);
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_NE(status.message().find("gemm_s8/vnni"), std::string::npos);
}

}  // namespace
}  // namespace stint
