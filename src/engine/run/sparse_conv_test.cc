// Convolutions whose weights are mostly 0: when they run on the sparse kernel,
// that they answer the same, and how their weights are kept.

#include <gtest/gtest.h>

#include <algorithm>

#include "core/testing/random_tensor.h"
#include "engine/bind/restore_weights.h"
#include "engine/lower/lower_graph.h"
#include "engine/run/graph_runner.h"
#include "engine/run/step_choices.h"
#include "engine/run/zero_inputs.h"

namespace stint {
namespace {

constexpr int64_t kChannels = 32;

// Two convolutions on each other; of the second one weight in `keep` is not 0.
Graph Build(int64_t keep) {
  Graph graph;
  ValueId x = graph.AddInput(
      "x", ValueType::Of(DType::kFloat32, {1, kChannels, 10, 10}));
  for (int layer = 0; layer < 2; ++layer) {
    const std::string name = layer == 0 ? "dense" : "thin";
    Tensor w = RandomTensor({kChannels, kChannels, 3, 3},
                            static_cast<uint64_t>(layer) + 1);
    for (int64_t i = 0; layer == 1 && i < w.size(); ++i) {
      if ((i * 2654435761 >> 9) % keep != 0) w.data<float>()[i] = 0;
    }
    FusedConv conv;
    conv.pads = {1, 1, 1, 1};
    conv.kernel_shape = {3, 3};
    conv.lo = 0;
    x = graph.Add(name, conv,
                  {x, graph.AddConstant(name + ".w", std::move(w))});
  }
  graph.MarkOutput(x);
  EXPECT_TRUE(InferGraph(&graph).ok());
  return graph;
}

// A graph lowered for a site, and what runs it.
struct Running {
  Running(const Graph& graph, const KernelSite& site,
          const PackedTable* packed = nullptr)
      : lowered(LowerGraph(graph, site).value()),
        pool(1),
        runner(lowered.get(), site, &pool) {
    if (packed != nullptr) runner.set_packed(packed);
    EXPECT_TRUE(runner.Prepare().ok());
  }
  std::vector<float> Answer() {
    std::vector<Value> outputs;
    const std::vector<Value> inputs = {
        Value(RandomTensor({1, kChannels, 10, 10}, 9))};
    const Status status = runner.RunInto(inputs, &outputs);
    EXPECT_TRUE(status.ok()) << status.message();
    if (!status.ok()) return {};
    const Tensor& y = outputs[0].tensor();
    return {y.data<float>(), y.data<float>() + y.size()};
  }
  // The layout that a node's weights are packed in.
  std::string Layout(const std::string& node) {
    const PackedTable packed = runner.packed();
    const auto found = packed.find(node);
    return found == packed.end() ? "" : found->second.layout;
  }

  std::unique_ptr<Graph> lowered;
  ThreadPool pool;
  GraphRunner runner;
};

void ExpectSame(const std::vector<float>& found,
                const std::vector<float>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(found[i], expected[i], 1e-4) << i;
  }
}

TEST(SparseConv, RunsWhereMostWeightsAreZero) {
  const Graph graph = Build(20);
  Running sparse(graph, {DetectIsa(), 1});
  const auto answer = sparse.Answer();
  EXPECT_TRUE(sparse.Layout("thin").starts_with("conv_sparse_f32/"));
  EXPECT_FALSE(sparse.Layout("dense").starts_with("conv_sparse_f32/"));
  KernelSite direct{DetectIsa(), 1};
  direct.primitive = "direct";
  Running dense(graph, direct);
  ExpectSame(answer, dense.Answer());
  EXPECT_FALSE(dense.Layout("thin").starts_with("conv_sparse_f32/"));
}

TEST(SparseConv, DoesNotRunWhereFewAreZero) {
  Running running(Build(2), {DetectIsa(), 1});
  running.Answer();
  EXPECT_FALSE(running.Layout("thin").starts_with("conv_sparse_f32/"));
}

TEST(SparseConv, CanBeForcedInEveryForm) {
  const Graph graph = Build(2);
  Running dense(graph, {DetectIsa(), 1});
  const auto expected = dense.Answer();
  for (const std::string primitive :
       {"sparse", "sparse_im2col", "sparse_spatial"}) {
    KernelSite forced{DetectIsa(), 1};
    forced.primitive = primitive;
    Running sparse(graph, forced);
    ExpectSame(sparse.Answer(), expected);
    EXPECT_TRUE(sparse.Layout("thin").starts_with("conv_sparse_f32/"));
    EXPECT_TRUE(sparse.Layout("dense").starts_with("conv_sparse_f32/"));
    for (const StepChoice& choice : StepChoicesOf(sparse.runner)) {
      EXPECT_EQ(choice.reason, "forced");
      EXPECT_TRUE(choice.kernel.starts_with(primitive + "_")) << choice.kernel;
      EXPECT_TRUE(choice.schedule.starts_with(primitive + ":"))
          << choice.schedule;
    }
  }
}

TEST(SparseConv, WeightsComeBackFromTheirPackedForm) {
  const Graph graph = Build(20);
  Running first(graph, {DetectIsa(), 1});
  const auto answer = first.Answer();
  const PackedTable packed = first.runner.packed();
  const auto shells = graph.Clone();
  auto& constant =
      shells->value(shells->node(shells->order()[1]).inputs[1]).constant;
  constant->DropElements();
  Running again(*shells, {DetectIsa(), 1}, &packed);
  EXPECT_EQ(again.Answer(), answer);
  ASSERT_TRUE(RestoreWeights(packed, shells.get()).ok());
  const Tensor& expected =
      *graph.value(graph.node(graph.order()[1]).inputs[1]).constant;
  EXPECT_TRUE(std::equal(expected.data<float>(),
                         expected.data<float>() + expected.size(),
                         constant->data<float>()));
}

TEST(SparseConv, DamagedWeightsAreRefused) {
  const Graph graph = Build(20);
  Running first(graph, {DetectIsa(), 1});
  first.Answer();
  const PackedTable good = first.runner.packed();
  for (int damage = 0; damage < 4; ++damage) {
    PackedTable bad = good;
    auto& parts = bad.at("thin").parts;
    for (Tensor& part : parts) part = part.Clone().value();
    if (damage == 0) parts[1].data<int32_t>()[3] = kChannels * 9;
    if (damage == 1) parts[1].data<int32_t>()[0] = -1;
    if (damage == 2) parts[0].data<int32_t>()[1] = 1 << 30;
    if (damage == 3) parts.pop_back();
    const auto shells = graph.Clone();
    shells->value(shells->node(shells->order()[1]).inputs[1])
        .constant->DropElements();
    EXPECT_FALSE(RestoreWeights(bad, shells.get()).ok()) << damage;
  }
}

}  // namespace
}  // namespace stint
