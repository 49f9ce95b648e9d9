// A sub-network is the whole with the rest of its weights set to zero, and
// blocks that are left out pass their input on.

#include "engine/elastic/importance/cut_graph.h"

#include <gtest/gtest.h>

#include "engine/run/graph_runner.h"
#include "weights/testing/elastic_model.h"

namespace stint {
namespace {

constexpr int64_t kWidth = 64;  // 4 heads

std::vector<float> AnswerOf(const Graph& graph) {
  ThreadPool pool(1);
  GraphRunner runner(&graph, {DetectIsa()}, &pool);
  EXPECT_TRUE(runner.Prepare().ok());
  const Tensor ids = Tensor::Vector<int64_t>({3, 99, 0, 42, 3});
  const auto outputs = runner.Run({ids.Reshaped({1, 5})});
  EXPECT_TRUE(outputs.ok()) << outputs.status().message();
  if (!outputs.ok()) return {};
  const Tensor& y = (*outputs)[0].tensor();
  return {y.data<float>(), y.data<float>() + y.size()};
}

Tensor* ConstantOf(Graph* graph, const std::string& name) {
  for (size_t i = 0; i < graph->num_values(); ++i) {
    GraphValue& value = graph->value({static_cast<int32_t>(i)});
    if (value.name == name && value.constant) return &*value.constant;
  }
  ADD_FAILURE() << name;
  return nullptr;
}

// Fills the cut graph's weights, which have no elements, from the whole's.
void CopyWeights(Graph* whole, Graph* cut) {
  for (NodeId id : cut->order()) {
    for (ValueId in : cut->node(id).inputs) {
      if (!in.valid() || !cut->value(in).constant) continue;
      Tensor& to = *cut->value(in).constant;
      if (to.has_elements()) continue;
      const Tensor& from = *ConstantOf(whole, cut->value(in).name);
      to = Tensor::Allocate(DType::kFloat32, to.shape()).value();
      for (int64_t r = 0; r < to.dim(0); ++r) {
        for (int64_t c = 0; c < to.dim(1); ++c) {
          to.data<float>()[r * to.dim(1) + c] =
              from.data<float>()[r * from.dim(1) + c];
        }
      }
    }
  }
}

TEST(CutGraph, KeepsTheFirstSlices) {
  Package package = MakeElasticModel(kWidth);
  const ShardLayout layout = LayOutShards(*package.graph, {.min_weights = 512});
  const int slices = layout.layers[0].slices;
  ASSERT_EQ(slices, 4);
  auto cut = CutGraph(*package.graph, layout, {{0}, 2, 0});
  ASSERT_TRUE(cut.ok()) << cut.status().message();
  CopyWeights(package.graph.get(), cut->get());
  // Without the last heads' values and neurons' inputs, they add nothing.
  Tensor* o = ConstantOf(package.graph.get(), "o");
  Tensor* f2 = ConstantOf(package.graph.get(), "f2");
  for (Tensor* matrix : {o, f2}) {
    const int64_t columns = matrix->dim(1);
    for (int64_t r = 0; r < matrix->dim(0); ++r) {
      for (int64_t c = columns / 2; c < columns; ++c) {
        matrix->data<float>()[r * columns + c] = 0;
      }
    }
  }
  const std::vector<float> expected = AnswerOf(*package.graph);
  const std::vector<float> found = AnswerOf(**cut);
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], 1e-4) << i;
  }
}

// Words, then blocks that normalize after each sum, then a linear layer.
std::unique_ptr<Graph> MakeEncoder(int blocks) {
  auto graph = std::make_unique<Graph>();
  uint64_t seed = 0;
  const auto constant = [&](const std::string& name, Shape shape) {
    return graph->AddConstant(name, Numbers(std::move(shape), ++seed));
  };
  const ValueId ids =
      graph->AddInput("ids", ValueType::Of(DType::kInt64, {1, 5}));
  ValueId x =
      graph->Add("words", Gather{}, {constant("table", {100, kWidth}), ids});
  FusedLinear rows;
  rows.transB = 1;
  FusedAttention attend;
  attend.heads = 4;
  const ValueId last_weights = constant("last", {30, kWidth});
  for (int b = 0; b < blocks; ++b) {
    const std::string name = std::to_string(b);
    const auto square = [&](const char* of) {
      return constant(of + name, {kWidth, kWidth});
    };
    const auto norm = [&](const std::string& of, ValueId in) {
      return graph->Add(of + name, LayerNormalization{},
                        {in, constant(of + "s" + name, {kWidth}),
                         constant(of + "b" + name, {kWidth})});
    };
    const ValueId qkv =
        graph->Add("qkv" + name, rows,
                   {x, kNoValue, square("q"), kNoValue, square("k"), kNoValue,
                    square("v"), kNoValue});
    const ValueId a = graph->Add("attention" + name, attend,
                                 {qkv, kNoValue, kNoValue, kNoValue});
    const ValueId o = norm(
        "n1", graph->Add("out" + name, rows, {a, x, square("o"), kNoValue}));
    const ValueId f = graph->Add(
        "ffn1" + name, rows,
        {o, kNoValue, constant("f1" + name, {4 * kWidth, kWidth}), kNoValue});
    x = norm("n2",
             graph->Add("ffn2" + name, rows,
                        {f, o, constant("f2" + name, {kWidth, 4 * kWidth}),
                         kNoValue}));
  }
  graph->MarkOutput(
      graph->Add("last", rows, {x, kNoValue, last_weights, kNoValue}));
  EXPECT_TRUE(InferGraph(graph.get()).ok());
  return graph;
}

TEST(CutGraph, LeavesBlocksOut) {
  const auto two = MakeEncoder(2);
  const auto one = MakeEncoder(1);
  const ShardLayout layout = LayOutShards(*two, {.min_weights = 512});
  const auto cut = CutGraph(*two, layout, {{0}, layout.layers[0].slices, 0});
  ASSERT_TRUE(cut.ok()) << cut.status().message();
  EXPECT_EQ((*cut)->order().size(), one->order().size());
  EXPECT_EQ(AnswerOf(**cut), AnswerOf(*one));
}

// Its blocks have no norms: what they add to is not told apart.
TEST(CutGraph, RefusesWhatItDoesNotUnderstand) {
  const Package package = MakeElasticModel(kWidth);
  const ShardLayout layout = LayOutShards(*package.graph, {.min_weights = 512});
  const auto cut = CutGraph(*package.graph, layout, {{}, 4, 0});
  EXPECT_EQ(cut.status().code(), StatusCode::kUnsupported);
}

}  // namespace
}  // namespace stint
