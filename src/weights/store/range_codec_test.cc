#include "weights/store/range_codec.h"

#include <gtest/gtest.h>

#include "core/base/byte_writer.h"
#include "weights/store/format.h"
#include "weights/store/graph_codec.h"

namespace stint::store {
namespace {

// Three values.
Graph MakeGraph() {
  Graph graph;
  ValueId x = graph.AddInput("x", ValueType::Of(DType::kFloat32, {1}));
  x = graph.Add("a", Unary{UnaryKind::kSigmoid}, {x});
  graph.MarkOutput(graph.Add("b", Unary{UnaryKind::kSigmoid}, {x}));
  return graph;
}

std::string Encoded(uint32_t value, float lo, float hi) {
  ByteWriter out;
  out.PutCount(1);
  out.Put(value);
  out.Put(lo);
  out.Put(hi);
  return out.Take();
}

Status Decode(const std::string& bytes) {
  Graph graph = MakeGraph();
  return DecodeRanges(BytesOf(bytes), &graph);
}

TEST(RangeCodec, ReadsWhatItWrites) {
  Graph graph = MakeGraph();
  graph.value({0}).range = ActivationRange{-1.5f, 2};
  graph.value({2}).range = ActivationRange{0, 0.25f};
  Graph again = MakeGraph();
  ASSERT_TRUE(DecodeRanges(BytesOf(EncodeRanges(graph)), &again).ok());
  EXPECT_EQ(again.value({0}).range->lo, -1.5f);
  EXPECT_EQ(again.value({0}).range->hi, 2);
  EXPECT_FALSE(again.value({1}).range);
  EXPECT_EQ(again.value({2}).range->hi, 0.25f);
}

TEST(RangeCodec, NumbersValuesAsTheFileDoes) {
  Graph graph;
  graph.AddConstant("nobody reads it", Tensor::Vector<float>({1}));
  const ValueId x = graph.AddInput("x", ValueType::Of(DType::kFloat32, {1}));
  const ValueId y = graph.Add("y", Unary{UnaryKind::kSigmoid}, {x});
  graph.MarkOutput(y);
  graph.value(y).range = ActivationRange{0, 1};
  const auto file = EncodeGraph(graph, [](const Tensor&) { return 0u; });
  const auto again =
      DecodeGraph(BytesOf(file), [](uint32_t) { return Damaged("none"); });
  ASSERT_TRUE(again.ok()) << again.status().message();
  ASSERT_TRUE(DecodeRanges(BytesOf(EncodeRanges(graph)), again->get()).ok());
  EXPECT_TRUE((*again)->value((*again)->outputs()[0]).range);
  EXPECT_FALSE((*again)->value((*again)->inputs()[0]).range);
}

TEST(RangeCodec, WritesNothingForAGraphWithoutRanges) {
  EXPECT_EQ(EncodeRanges(MakeGraph()), "");
}

TEST(RangeCodec, RefusesWhatCannotBe) {
  EXPECT_TRUE(Decode(Encoded(2, -1, 1)).ok());
  EXPECT_EQ(Decode(Encoded(3, -1, 1)).code(), StatusCode::kDamaged);
  EXPECT_EQ(Decode(Encoded(0, 0.5f, 1)).code(), StatusCode::kDamaged);
  EXPECT_EQ(Decode(Encoded(0, -1, -0.5f)).code(), StatusCode::kDamaged);
  EXPECT_EQ(Decode(Encoded(0, -3e38f, 3e38f)).code(), StatusCode::kDamaged);
  EXPECT_EQ(Decode(Encoded(0, -1, 1).substr(0, 9)).code(),
            StatusCode::kDamaged);
  EXPECT_EQ(Decode(Encoded(0, -1, 1) + "x").code(), StatusCode::kDamaged);
}

}  // namespace
}  // namespace stint::store
