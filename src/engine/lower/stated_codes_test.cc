#include "engine/lower/stated_codes.h"

#include <gtest/gtest.h>

#include "engine/lower/lower_graph.h"

namespace stint {
namespace {

template <typename T>
Tensor Filled(DType dtype, const Shape& shape, T value) {
  Tensor tensor = Tensor::Allocate(dtype, shape).value();
  std::fill_n(tensor.data<T>(), tensor.size(), value);
  return tensor;
}

// x -> Q -> DQ -> Conv (weights DQ) -> Q -> DQ -> Relu.
struct QdqCase {
  QdqCase() {
    x = graph.AddInput("x", ValueType::Of(DType::kFloat32, {1, 4, 5, 5}));
    scale =
        graph.AddConstant("scale", Filled<float>(DType::kFloat32, {}, 0.5f));
    zero = graph.AddConstant("zero", Filled<uint8_t>(DType::kUInt8, {}, 7));
    bytes = graph.Add("q", QuantizeLinear{}, {x, scale, zero});
    const ValueId in =
        graph.Add("dq", DequantizeLinear{}, {bytes, scale, zero});
    const ValueId w = graph.Add(
        "w", DequantizeLinear{},
        {graph.AddConstant("w8", Filled<int8_t>(DType::kInt8, {8, 4, 3, 3}, 3)),
         graph.AddConstant("ws", Filled<float>(DType::kFloat32, {}, 0.25f)),
         graph.AddConstant("wz", Filled<int8_t>(DType::kInt8, {}, 0))});
    conv = graph.Add("conv", Conv{}, {in, w});
    const ValueId q = graph.Add("q2", QuantizeLinear{}, {conv, scale, zero});
    const ValueId out = graph.Add("dq2", DequantizeLinear{}, {q, scale, zero});
    graph.MarkOutput(graph.Add("relu", Unary{UnaryKind::kRelu}, {out}));
  }
  ImageCodes Take() {
    EXPECT_TRUE(InferGraph(&graph).ok());
    auto codes = TakeStatedCodes(&graph);
    EXPECT_TRUE(codes.ok()) << codes.status().message();
    EXPECT_TRUE(InferGraph(&graph).ok());
    EXPECT_TRUE(VerifyGraph(graph).ok());
    return *codes;
  }
  std::string Ops() const {
    std::string names;
    for (NodeId id : graph.order()) {
      names += std::string(OpName(graph.node(id).op)) + " ";
    }
    return names;
  }

  Graph graph;
  ValueId x, scale, zero, bytes, conv;
};

TEST(TakeStatedCodes, PairsAroundAConvolutionBecomeCodes) {
  QdqCase c;
  const ImageCodes codes = c.Take();
  EXPECT_EQ(c.Ops(), "FusedConv Relu ");
  for (ValueId value : {c.x, c.conv}) {
    ASSERT_TRUE(codes.codes[value.index].has_value());
    EXPECT_EQ(codes.codes[value.index]->scale, 0.5f);
    EXPECT_EQ(codes.codes[value.index]->zero, 7);
  }
  ASSERT_EQ(codes.weight_scales.size(), 1u);
  const auto& [w, scales] = *codes.weight_scales.begin();
  EXPECT_EQ(scales.shape(), Shape{8});
  EXPECT_EQ(scales.data<float>()[5], 0.25f);
  EXPECT_EQ(c.graph.value(w).constant->data<float>()[0], 0.75f);
}

TEST(TakeStatedCodes, ValueThatOthersReadKeepsItsFloats) {
  QdqCase c;
  c.graph.MarkOutput(c.graph.Add("other", Unary{UnaryKind::kRelu}, {c.x}));
  const ImageCodes codes = c.Take();
  EXPECT_EQ(c.Ops(), "Identity FusedConv Relu Relu ");
  EXPECT_FALSE(codes.codes[c.x.index].has_value());
}

TEST(TakeStatedCodes, DoesNotFireWhenSomebodyElseReadsTheBytes) {
  QdqCase c;
  c.graph.MarkOutput(c.bytes);
  const ImageCodes codes = c.Take();
  EXPECT_FALSE(codes.codes[c.x.index].has_value());
  EXPECT_EQ(c.Ops(), "QuantizeLinear DequantizeLinear FusedConv Relu ");
}

TEST(TakeStatedCodes, WeightsInCodesAloneBecomeConstants) {
  Graph graph;
  const ValueId x =
      graph.AddInput("x", ValueType::Of(DType::kFloat32, {1, 4, 5, 5}));
  const ValueId w = graph.Add(
      "w", DequantizeLinear{},
      {graph.AddConstant("w8", Filled<int8_t>(DType::kInt8, {8, 4, 3, 3}, 3)),
       graph.AddConstant("ws", Filled<float>(DType::kFloat32, {}, 0.25f))});
  graph.MarkOutput(graph.Add("conv", Conv{}, {x, w}));
  ASSERT_TRUE(InferGraph(&graph).ok());
  ASSERT_TRUE(TakeStatedCodes(&graph).ok());
  ASSERT_EQ(graph.order().size(), 1u);
  EXPECT_EQ(graph.value(w).constant->data<float>()[0], 0.75f);
}

TEST(LowerGraph, TakesConvolutionsInCodesInBf16) {
  QdqCase c;
  ASSERT_TRUE(InferGraph(&c.graph).ok());
  const auto lowered =
      LowerGraph(c.graph, {Isa::kBaseline, 1, Precision::kBFloat16});
  ASSERT_TRUE(lowered.ok()) << lowered.status().message();
  std::string names;
  for (NodeId id : (*lowered)->order()) {
    names += std::string(OpName((*lowered)->node(id).op)) + " ";
  }
  EXPECT_NE(names.find("QuantizedConv"), std::string::npos) << names;
}

TEST(TakeStatedCodes, DoesNotFireWithoutAConvolution) {
  QdqCase c;
  Graph graph;
  const ValueId x =
      graph.AddInput("x", ValueType::Of(DType::kFloat32, {1, 4, 5, 5}));
  const ValueId scale =
      graph.AddConstant("scale", Filled<float>(DType::kFloat32, {}, 0.5f));
  const ValueId zero =
      graph.AddConstant("zero", Filled<uint8_t>(DType::kUInt8, {}, 7));
  const ValueId q = graph.Add("q", QuantizeLinear{}, {x, scale, zero});
  const ValueId y = graph.Add("dq", DequantizeLinear{}, {q, scale, zero});
  graph.MarkOutput(graph.Add("relu", Unary{UnaryKind::kRelu}, {y}));
  c.graph = std::move(graph);
  c.Take();
  EXPECT_EQ(c.Ops(), "QuantizeLinear DequantizeLinear Relu ");
}

}  // namespace
}  // namespace stint
