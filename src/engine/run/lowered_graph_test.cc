#include <gtest/gtest.h>

#include <cmath>

#include "engine/run/testing/lower_case.h"

namespace stint {
namespace {

TEST(BlockChannels, ConvertsOnlyWhereAStretchBeginsAndEnds) {
  LowerCase c({1, 3, 8, 8});
  ValueId y = c.Conv3x3(c.x, 3, 20);
  y = c.Conv3x3(y, 20, 20);
  MaxPool pool;
  pool.kernel_shape = {2, 2};
  pool.strides = {2, 2};
  y = c.graph.Add("pool", pool, {y});
  y = c.graph.Add("relu", Unary{UnaryKind::kRelu}, {y});
  c.graph.MarkOutput(c.graph.Add("flat", Flatten{1}, {y}));
  EXPECT_EQ(c.Lowered({1, 3, 8, 8}),
            "BlockedConv BlockedConv BlockedMaxPool Relu FromBlocked Flatten");
}

// An image times a gate made of it, then a convolution to `outs` channels.
struct GateCase : LowerCase {
  GateCase(Shape dims, int64_t outs, int64_t window = 1)
      : LowerCase(std::move(dims)) {
    image = Conv3x3(x, 20, 20);
    const ValueId mean = graph.Add("mean", GlobalAveragePool{}, {image});
    const ValueId gate = graph.Add("gate", Unary{UnaryKind::kSigmoid}, {mean});
    gated = graph.Add("gated", Binary{BinaryKind::kMul}, {gate, image});
    FusedConv conv;
    conv.lo = 0;
    const Tensor w = Numbers({outs, 20, window, window});
    graph.MarkOutput(graph.Add("last", conv,
                               {gated, graph.AddConstant("w2", w),
                                graph.AddConstant("b2", Numbers({outs}))}));
  }
  ValueId image, gated;
};

TEST(GateWeights, MultipliesTheWeightsOfAPixelwiseConvolution) {
  GateCase c({2, 20, 8, 8}, 40);
  EXPECT_EQ(c.Lowered({2, 20, 8, 8}),
            "ToBlocked BlockedConv BlockedGlobalAverage Sigmoid BlockedConv "
            "FromBlocked");
}

TEST(GateWeights, LeavesTheProductToWeightsLargerThanTheImage) {
  GateCase c({2, 20, 4, 4}, 40);
  EXPECT_NE(c.Lowered({2, 20, 4, 4}).find("Mul"), std::string::npos);
}

TEST(GateWeights, LeavesAProductThatSomebodyElseReads) {
  GateCase c({2, 20, 8, 8}, 40);
  c.graph.MarkOutput(c.gated);
  EXPECT_NE(c.Lowered({2, 20, 8, 8}).find("Mul"), std::string::npos);
}

TEST(GateWeights, LeavesTheProductBeforeAWiderWindow) {
  GateCase c({2, 20, 8, 8}, 40, 3);
  EXPECT_NE(c.Lowered({2, 20, 8, 8}).find("Mul"), std::string::npos);
}

TEST(BlockChannels, KeepsSumsGatesAndConcatenationInBlocks) {
  LowerCase c({1, 32, 8, 8});
  const ValueId a = c.Conv3x3(c.x, 32, 32);
  const ValueId b = c.Conv3x3(a, 32, 32);
  const ValueId sum = c.graph.Add("sum", Binary{BinaryKind::kAdd}, {a, b});
  const ValueId mean = c.graph.Add("mean", GlobalAveragePool{}, {sum});
  const ValueId gate = c.graph.Add("gate", Unary{UnaryKind::kSigmoid}, {mean});
  const ValueId gated =
      c.graph.Add("gated", Binary{BinaryKind::kMul}, {sum, gate});
  c.graph.MarkOutput(c.graph.Add("joined", Concat{1}, {gated, a}));
  EXPECT_EQ(
      c.Lowered({1, 32, 8, 8}),
      "ToBlocked BlockedConv BlockedConv Add BlockedGlobalAverage Sigmoid "
      "Mul Concat FromBlocked");
}

TEST(BlockChannels, LeavesGroupsThatDoNotFitBlocks) {
  LowerCase c({1, 12, 8, 8});
  c.graph.MarkOutput(c.Conv3x3(c.x, 12, 12, 3));
  EXPECT_EQ(c.Lowered({1, 12, 8, 8}), "FusedConv");
}

TEST(MergeGroups, WidensNarrowGroupsSoThatTheyFitBlocks) {
  for (int64_t width : {4, 8, 16}) {
    LowerCase c({1, 64, 6, 6});
    const ValueId y = c.Conv3x3(c.x, 64, 64, 64 / width);
    c.graph.MarkOutput(c.Conv3x3(y, 64, 64));
    EXPECT_EQ(c.Lowered({1, 64, 6, 6}),
              "ToBlocked BlockedConv BlockedConv FromBlocked")
        << width;
  }
}

TEST(MergeGroups, LeavesGroupsThatWouldGrowTooMuch) {
  LowerCase c({1, 64, 6, 6});
  c.graph.MarkOutput(c.Conv3x3(c.x, 64, 64, 64 / 2));
  const int64_t block = DetectIsa() >= Isa::kAvx512 ? 16 : 8;
  EXPECT_EQ(c.Lowered({1, 64, 6, 6}),
            block == 16 ? "FusedConv" : "ToBlocked BlockedConv FromBlocked");
}

TEST(BlockChannels, LeavesConcatenationOfPartBlocks) {
  LowerCase c({1, 3, 8, 8});
  const ValueId a = c.Conv3x3(c.x, 3, 20);
  c.graph.MarkOutput(c.graph.Add("joined", Concat{1}, {a, a}));
  EXPECT_EQ(c.Lowered({1, 3, 8, 8}), "BlockedConv FromBlocked Concat");
}

TEST(BlockChannels, LeavesGraphsWithoutConvolutionsAlone) {
  LowerCase c({1, 3, 8, 8});
  c.graph.MarkOutput(c.graph.Add("relu", Unary{UnaryKind::kRelu}, {c.x}));
  EXPECT_EQ(c.Lowered({1, 3, 8, 8}), "Relu");
}

TEST(LowerGraph, RefusesConvolutionsInInt8) {
  LowerCase c({1, 3, 8, 8});
  c.graph.MarkOutput(c.Conv3x3(c.x, 3, 20));
  ASSERT_TRUE(InferGraph(&c.graph).ok());
  const auto lowered = LowerGraph(c.graph, {DetectIsa(), 1, Precision::kInt8});
  ASSERT_FALSE(lowered.ok());
  EXPECT_EQ(lowered.status().code(), StatusCode::kUnsupported);
}

TEST(LowerGraph, RefusesTransposedConvolutionsInBf16) {
  LowerCase c({1, 3, 8, 8});
  c.graph.MarkOutput(
      c.graph.Add("up", ConvTranspose{},
                  {c.x, c.graph.AddConstant("w", Numbers({3, 4, 2, 2}))}));
  ASSERT_TRUE(InferGraph(&c.graph).ok());
  const auto lowered =
      LowerGraph(c.graph, {DetectIsa(), 1, Precision::kBFloat16});
  ASSERT_FALSE(lowered.ok());
  EXPECT_EQ(lowered.status().code(), StatusCode::kUnsupported);
}

// Blocked, depthwise and, between them, groups that fit no blocks.
TEST(LowerGraph, RunsConvolutionsInBf16) {
  for (Isa isa :
       {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512, Isa::kBf16, Isa::kAmx}) {
    LowerCase c({1, 3, 8, 8});
    ValueId y = c.Conv3x3(c.x, 3, 12);
    y = c.Conv3x3(y, 12, 12, 3);
    y = c.Conv3x3(y, 12, 12, 12);
    c.graph.MarkOutput(c.Conv3x3(y, 12, 40));
    const std::vector<float> wide =
        c.Answer({DetectIsa(isa), 1, Precision::kFloat32}, {1, 3, 8, 8});
    const std::vector<float> narrow =
        c.Answer({DetectIsa(isa), 1, Precision::kBFloat16}, {1, 3, 8, 8});
    ASSERT_EQ(wide.size(), narrow.size());
    double largest = 0, worst = 0;
    for (size_t i = 0; i < wide.size(); ++i) {
      largest = std::fmax(largest, std::fabs(wide[i]));
      worst = std::fmax(worst, std::fabs(wide[i] - narrow[i]));
    }
    EXPECT_LT(worst, 0.02 * largest);
    EXPECT_GT(worst, 1e-5 * largest) << "weights were not rounded";
  }
}

}  // namespace
}  // namespace stint
