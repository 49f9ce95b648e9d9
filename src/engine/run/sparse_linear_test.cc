// Linear layers whose weights are mostly 0: when they run on the sparse kernel,
// that they answer the same, and how their weights are kept.

#include <gtest/gtest.h>

#include "core/testing/random_tensor.h"
#include "engine/bind/restore_weights.h"
#include "engine/run/graph_runner.h"

namespace stint {
namespace {

constexpr int64_t kInputs = 48;
constexpr int64_t kOutputs = 64;

// A layer with a residual, an activation and a norm; one weight in `keep` is
// not 0.
Graph Build(int64_t keep, bool transposed) {
  Graph graph;
  const int64_t rows = graph.Symbol("rows");
  const ValueId x =
      graph.AddInput("x", ValueType::Of(DType::kFloat32, {rows, kInputs}));
  const ValueId residual = graph.AddInput(
      "residual", ValueType::Of(DType::kFloat32, {rows, kOutputs}));
  Tensor w = RandomTensor(
      transposed ? Shape{kOutputs, kInputs} : Shape{kInputs, kOutputs}, 1);
  for (int64_t i = 0; i < w.size(); ++i) {
    if ((i * 2654435761 >> 9) % keep != 0) w.data<float>()[i] = 0;
  }
  FusedLinearNorm op;
  op.transB = transposed ? 1 : 0;
  op.activation = "gelu";
  const auto constant = [&](const char* name, Shape shape, uint64_t seed) {
    return graph.AddConstant(name, RandomTensor(std::move(shape), seed));
  };
  graph.MarkOutput(graph.Add(
      "layer", op,
      {x, residual, graph.AddConstant("w", std::move(w)),
       constant("bias", {kOutputs}, 2), constant("scale", {kOutputs}, 3),
       constant("shift", {kOutputs}, 4)}));
  EXPECT_TRUE(InferGraph(&graph).ok());
  return graph;
}

struct Running {
  Running(const Graph& graph, const std::string& primitive,
          const PackedTable* packed = nullptr)
      : pool(3), runner(&graph, Site(primitive), &pool) {
    if (packed != nullptr) runner.set_packed(packed);
    EXPECT_TRUE(runner.Prepare().ok());
  }
  static KernelSite Site(const std::string& primitive) {
    KernelSite site{DetectIsa(), 3};
    site.primitive = primitive;
    return site;
  }
  std::vector<float> Answer(int64_t rows) {
    std::vector<Value> outputs;
    const std::vector<Value> inputs = {
        Value(RandomTensor({rows, kInputs}, 9)),
        Value(RandomTensor({rows, kOutputs}, 8))};
    const Status status = runner.RunInto(inputs, &outputs);
    EXPECT_TRUE(status.ok()) << status.message();
    if (!status.ok()) return {};
    const Tensor& y = outputs[0].tensor();
    return {y.data<float>(), y.data<float>() + y.size()};
  }
  bool IsSparse() {
    const PackedTable packed = runner.packed();
    const auto found = packed.find("layer");
    return found != packed.end() &&
           found->second.layout.starts_with("conv_sparse_f32/");
  }

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

TEST(SparseLinear, RunsWhereMostWeightsAreZero) {
  for (const bool transposed : {false, true}) {
    const Graph graph = Build(16, transposed);
    Running sparse(graph, "");
    Running dense(graph, "direct");
    for (const int64_t rows : {1, 7, 128, 300}) {
      ExpectSame(sparse.Answer(rows), dense.Answer(rows));
    }
    EXPECT_TRUE(sparse.IsSparse());
    EXPECT_FALSE(dense.IsSparse());
  }
}

TEST(SparseLinear, DoesNotRunWhereFewAreZero) {
  const Graph graph = Build(2, false);
  Running running(graph, "");
  running.Answer(5);
  EXPECT_FALSE(running.IsSparse());
}

TEST(SparseLinear, WeightsComeBackFromTheirPackedForm) {
  const Graph graph = Build(16, true);
  Running first(graph, "");
  const auto answer = first.Answer(20);
  const PackedTable packed = first.runner.packed();
  const auto shells = graph.Clone();
  auto& constant =
      shells->value(shells->node(shells->order()[0]).inputs[2]).constant;
  constant->DropElements();
  Running again(*shells, "", &packed);
  EXPECT_EQ(again.Answer(20), answer);
  Running dense(*shells, "direct", &packed);
  ExpectSame(dense.Answer(20), answer);
  ASSERT_TRUE(RestoreWeights(packed, shells.get()).ok());
  const Tensor& expected =
      *graph.value(graph.node(graph.order()[0]).inputs[2]).constant;
  EXPECT_TRUE(std::equal(expected.data<float>(),
                         expected.data<float>() + expected.size(),
                         constant->data<float>()));
}

}  // namespace
}  // namespace stint
