#include "weights/shards/shard_layout.h"

#include <gtest/gtest.h>

#include <numeric>

#include "weights/shards/shard_weights.h"

namespace stint {
namespace {

Tensor Weights(Shape shape) {
  Tensor tensor = Tensor::Allocate(DType::kFloat32, std::move(shape)).value();
  std::iota(tensor.data<float>(), tensor.data<float>() + tensor.size(), 0.0f);
  return tensor;
}

// Builds fused graphs.
class Builder {
 public:
  Builder() = default;

  ValueId Linear(const std::string& name, ValueId x, Shape weight,
                 ValueId residual = kNoValue, int count = 1) {
    FusedLinear op;
    op.transB = 1;
    std::vector<ValueId> inputs = {x, residual};
    for (int i = 0; i < count; ++i) {
      const std::string own = name + std::to_string(i);
      inputs.push_back(graph.AddConstant(own + ".w", Weights(weight)));
      inputs.push_back(graph.AddConstant(own + ".b", Weights({weight[0]})));
    }
    return graph.Add(name, op, inputs);
  }
  ValueId Norm(const std::string& name, ValueId x, int64_t size) {
    return graph.Add(name, LayerNormalization{},
                     {x, graph.AddConstant(name + ".scale", Weights({size})),
                      graph.AddConstant(name + ".bias", Weights({size}))});
  }
  // A block as the passes leave it; norms after or before.
  ValueId Block(const std::string& name, ValueId x, int64_t heads,
                bool norm_first) {
    const int64_t d = 16 * heads;
    const ValueId in = norm_first ? Norm(name + ".n1", x, d) : x;
    const ValueId qkv = Linear(name + ".qkv", in, {d, d}, kNoValue, 3);
    FusedAttention op;
    op.heads = heads;
    const ValueId attention = graph.Add(name + ".attention", op, {qkv});
    const ValueId out = Linear(name + ".out", attention, {d, d}, x);
    const ValueId normed = Norm(name + ".n2", out, d);
    const ValueId ffn1 = Linear(name + ".ffn1", normed, {4 * d, d});
    const ValueId act =
        graph.Add(name + ".act", Unary{UnaryKind::kTanh}, {ffn1});
    const ValueId ffn2 =
        Linear(name + ".ffn2", act, {d, 4 * d}, norm_first ? out : normed);
    return norm_first ? ffn2 : Norm(name + ".n3", ffn2, d);
  }
  ValueId Conv(const std::string& name, ValueId x, Shape weight) {
    FusedConv op;
    return graph.Add(name, op,
                     {x, graph.AddConstant(name + ".w", Weights(weight))});
  }

  Graph graph;
};

TEST(LayOutShards, CutsTransformerBlocksByHeads) {
  for (bool norm_first : {false, true}) {
    Builder b;
    ValueId x =
        b.graph.AddInput("x", ValueType::Of(DType::kFloat32, {1, 8, 64}));
    x = b.Block("a", x, 4, norm_first);
    x = b.Block("b", x, 4, norm_first);
    b.graph.MarkOutput(b.Linear("class", x, {2, 64}));
    const ShardLayout layout = LayOutShards(b.graph);
    ASSERT_EQ(layout.layers.size(), 2u);
    for (const ShardLayer& layer : layout.layers) {
      EXPECT_EQ(layer.kind, LayerKind::kTransformer);
      EXPECT_EQ(layer.slices, 4);
      ASSERT_EQ(layer.matrices.size(), 6u);
    }
    const auto& m = layout.layers[1].matrices;
    EXPECT_EQ(m[1].node, "b.qkv");
    EXPECT_EQ(m[1].input, 4);
    EXPECT_EQ(m[1].bounds, (std::vector<int64_t>{0, 16, 32, 48, 64}));
    EXPECT_EQ(m[3].node, "b.out");
    EXPECT_EQ(m[3].cut, PlaneCut::kInputs);
    EXPECT_EQ(m[4].cut, PlaneCut::kOutputs);
    EXPECT_EQ(m[4].bounds, (std::vector<int64_t>{0, 64, 128, 192, 256}));
    EXPECT_EQ(m[5].cut, PlaneCut::kInputs);
    EXPECT_EQ(m[5].bounds, m[4].bounds);
    EXPECT_EQ(m[5].BlockShape(2).outputs, 64);
    EXPECT_EQ(m[5].BlockShape(2).inputs, 64);
  }
}

TEST(LayOutShards, JoinsHeadsThatDoNotFillAStrip) {
  Builder b;
  const ValueId x =
      b.graph.AddInput("x", ValueType::Of(DType::kFloat32, {1, 8, 96}));
  const ValueId qkv = b.Linear("qkv", x, {96, 96}, kNoValue, 3);
  FusedAttention op;
  op.heads = 12;  // of 8
  const ValueId attention = b.graph.Add("attention", op, {qkv});
  b.graph.MarkOutput(b.Linear("out", attention, {96, 96}));
  const ShardLayout layout = LayOutShards(b.graph);
  ASSERT_EQ(layout.layers.size(), 1u);
  EXPECT_EQ(layout.layers[0].slices, 6);
  EXPECT_EQ(layout.layers[0].matrices.size(), 4u);
}

TEST(LayOutShards, JoinsSmallOperatorsAndCutsBigOnes) {
  Builder b;
  ValueId x =
      b.graph.AddInput("x", ValueType::Of(DType::kFloat32, {1, 3, 32, 32}));
  x = b.Conv("first", x, {16, 3, 3, 3});  // too small
  x = b.Conv("small", x, {128, 16, 3, 3});
  x = b.Conv("middle", x, {512, 128, 3, 3});
  x = b.Conv("middle2", x, {512, 128, 3, 3});
  b.graph.MarkOutput(b.Conv("big", x, {1024, 512, 3, 3}));
  const ShardLayout layout = LayOutShards(b.graph);
  ASSERT_EQ(layout.layers.size(), 2u);
  EXPECT_EQ(layout.layers[0].kind, LayerKind::kOperators);
  EXPECT_EQ(layout.layers[0].matrices.size(), 3u);
  EXPECT_EQ(layout.layers[0].matrices[0].node, "small");
  EXPECT_EQ(layout.layers[0].slices, 5);
  EXPECT_EQ(layout.layers[1].matrices.size(), 1u);
  EXPECT_EQ(layout.layers[1].slices, 16);
  for (const ShardLayer& layer : layout.layers) {
    for (const ShardMatrix& m : layer.matrices) {
      EXPECT_EQ(m.order, WeightOrder::kWindow);
      EXPECT_EQ(m.bounds.size(), static_cast<size_t>(layer.slices) + 1);
      EXPECT_EQ(m.bounds.front(), 0);
      EXPECT_EQ(m.bounds.back(), m.outputs);
      for (int64_t bound : m.bounds) EXPECT_EQ(bound % 16, 0);
    }
  }
}

TEST(LayOutShards, TakesTablesOfWhichRowsAreGathered) {
  Builder b;
  const ValueId ids =
      b.graph.AddInput("ids", ValueType::Of(DType::kInt64, {1, 8}));
  const ValueId words = b.graph.AddConstant("words", Weights({1000, 32}));
  const ValueId few = b.graph.AddConstant("few", Weights({2, 32}));
  const ValueId columns = b.graph.AddConstant("columns", Weights({32, 1000}));
  Gather second;
  second.axis = 1;
  b.graph.MarkOutput(b.graph.Add("w", Gather{}, {words, ids}));
  b.graph.MarkOutput(b.graph.Add("w2", Gather{}, {words, ids}));
  b.graph.MarkOutput(b.graph.Add("f", Gather{}, {few, ids}));
  b.graph.MarkOutput(b.graph.Add("c", second, {columns, ids}));
  const ShardLayout layout = LayOutShards(b.graph);
  EXPECT_TRUE(layout.layers.empty());
  ASSERT_EQ(layout.tables.size(), 1u);
  EXPECT_EQ(layout.tables[0], (ShardTable{{"w", "w2"}, 1000, 32}));
}

TEST(LayOutShards, LeavesWeightsWithSeveralReadersAlone) {
  Builder b;
  const ValueId x =
      b.graph.AddInput("x", ValueType::Of(DType::kFloat32, {8, 256}));
  const ValueId w = b.graph.AddConstant("w", Weights({256, 256}));
  const ValueId y = b.graph.Add("one", FusedLinear{}, {x, kNoValue, w});
  b.graph.MarkOutput(b.graph.Add("two", FusedLinear{}, {y, kNoValue, w}));
  EXPECT_TRUE(LayOutShards(b.graph).empty());
}

TEST(LayOutShards, LeavesNodesThatShareANameAlone) {
  Builder b;
  ValueId x = b.graph.AddInput("x", ValueType::Of(DType::kFloat32, {8, 256}));
  x = b.Linear("same", x, {256, 256});
  b.graph.MarkOutput(b.Linear("same", x, {256, 256}));
  EXPECT_TRUE(LayOutShards(b.graph).empty());
}

TEST(ShardWeights, ComeBackInEveryOrder) {
  for (const auto& [shape, order] :
       {std::pair<Shape, WeightOrder>{{5, 7}, WeightOrder::kRows},
        {{7, 5}, WeightOrder::kColumns},
        {{5, 2, 3, 2}, WeightOrder::kWindow}}) {
    const Tensor tensor = Weights(shape);
    const PlaneBlockShape matrix = MatrixShape(shape, order);
    EXPECT_EQ(matrix.outputs, 5);
    std::vector<float> rows(static_cast<size_t>(tensor.size()));
    const auto two = static_cast<size_t>(2 * matrix.inputs);
    CopyWeightRows(tensor, order, 0, std::span(rows).first(two));
    CopyWeightRows(tensor, order, 2, std::span(rows).subspan(two));
    Tensor back = Tensor::Allocate(DType::kFloat32, shape).value();
    SetWeights(rows.data(), order, &back);
    for (int64_t i = 0; i < tensor.size(); ++i) {
      EXPECT_EQ(back.data<float>()[i], tensor.data<float>()[i]);
    }
  }
}

TEST(ShardWeights, PutChannelsOfAPixelSideBySide) {
  // [1, 2 channels, 3 places]: 0 1 2 | 3 4 5.
  std::vector<float> row(6);
  CopyWeightRows(Weights({1, 2, 3}), WeightOrder::kWindow, 0, row);
  EXPECT_EQ(row, (std::vector<float>{0, 3, 1, 4, 2, 5}));
}

}  // namespace
}  // namespace stint
