#include <algorithm>

#include "engine/run/testing/lower_case.h"

namespace stint {
namespace {

// Which convolutions write narrow images on a machine of that level, in order.
std::string NarrowOutputs(LowerCase* c, Isa isa = Isa::kAmx) {
  EXPECT_TRUE(InferGraph(&c->graph).ok());
  const auto lowered = LowerGraph(c->graph, {isa, 1, Precision::kBFloat16});
  EXPECT_TRUE(lowered.ok()) << lowered.status().message();
  std::string narrow;
  for (NodeId id : (*lowered)->order()) {
    const auto* conv = As<BlockedConv>((*lowered)->node(id).op);
    if (conv != nullptr) narrow += conv->narrow ? '1' : '0';
  }
  return narrow;
}

TEST(NarrowImages, LieBetweenConvolutions) {
  LowerCase c({1, 3, 8, 8});
  const ValueId a = c.Conv3x3(c.x, 3, 48);
  const ValueId b = c.Conv3x3(a, 48, 48, 48);
  c.graph.MarkOutput(c.Conv3x3(b, 48, 20));
  EXPECT_EQ(NarrowOutputs(&c), "110");
}

// Winograd's algorithm in fp32 is faster than vectors of bf16 on large images.
TEST(NarrowImages, AreNotMadeAroundLayersThatAreFasterInFloat32) {
  LowerCase c({1, 64, 40, 40});
  const ValueId a = c.Conv3x3(c.x, 64, 64);
  c.graph.MarkOutput(c.Conv3x3(a, 64, 64));
  EXPECT_EQ(NarrowOutputs(&c, Isa::kAmx), "10");
  EXPECT_EQ(NarrowOutputs(&c, Isa::kBf16), "00");
}

TEST(NarrowImages, GiveTheAnswerOfReferenceEvaluation) {
  if (DetectIsa() < Isa::kBf16) GTEST_SKIP() << "needs products of bf16";
  LowerCase c({1, 3, 8, 8});
  const ValueId a = c.Conv3x3(c.x, 3, 48);
  const ValueId b = c.Conv3x3(a, 48, 48, 48);
  c.graph.MarkOutput(c.Conv3x3(b, 48, 20));
  const Shape shape = {1, 3, 8, 8};
  const auto got = c.Answer({DetectIsa(), 1, Precision::kBFloat16}, shape);
  const auto want = c.Answer({DetectIsa(), 1}, shape);
  ASSERT_EQ(got.size(), want.size());
  float largest = 0;
  for (float w : want) largest = std::max(largest, std::fabs(w));
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_NEAR(got[i], want[i], 0.02f * largest);
  }
}

TEST(NarrowImages, AreNotMadeOfImagesThatOthersRead) {
  LowerCase c({1, 32, 8, 8});
  const ValueId a = c.Conv3x3(c.x, 32, 32);
  c.graph.MarkOutput(c.Conv3x3(a, 32, 32));
  c.graph.MarkOutput(c.graph.Add("exp", Unary{UnaryKind::kExp}, {a}));
  EXPECT_EQ(NarrowOutputs(&c), "00");
}

TEST(NarrowImages, PassThroughAPoolOfMaxima) {
  LowerCase c({1, 3, 8, 8});
  MaxPool pool;
  pool.kernel_shape = {2, 2};
  pool.strides = {2, 2};
  const ValueId a = c.Conv3x3(c.x, 3, 32);
  const ValueId b = c.graph.Add("pool", pool, {a});
  const ValueId d = c.Conv3x3(b, 32, 32);
  c.graph.MarkOutput(c.graph.Add("pool2", pool, {d}));
  EXPECT_EQ(NarrowOutputs(&c), "10");
}

// Depthwise convolutions read and write images of one form.
TEST(NarrowImages, AreNotReadByADepthwiseConvolutionThatWritesAWideOne) {
  LowerCase c({1, 32, 8, 8});
  const ValueId a = c.Conv3x3(c.x, 32, 32);
  c.graph.MarkOutput(c.Conv3x3(a, 32, 32, 32));
  EXPECT_EQ(NarrowOutputs(&c), "00");
}

TEST(NarrowImages, AreNotMadeWithoutProductsOfBf16OrInFloat32) {
  LowerCase c({1, 32, 8, 8});
  c.graph.MarkOutput(c.Conv3x3(c.Conv3x3(c.x, 32, 32), 32, 32));
  EXPECT_TRUE(InferGraph(&c.graph).ok());
  for (const KernelSite& site :
       {KernelSite{Isa::kVnni, 1, Precision::kBFloat16},
        KernelSite{Isa::kAmx, 1, Precision::kFloat32}}) {
    const auto lowered = LowerGraph(c.graph, site);
    ASSERT_TRUE(lowered.ok());
    for (NodeId id : (*lowered)->order()) {
      const auto* conv = As<BlockedConv>((*lowered)->node(id).op);
      EXPECT_TRUE(conv == nullptr || conv->narrow == 0);
    }
  }
}

}  // namespace
}  // namespace stint
