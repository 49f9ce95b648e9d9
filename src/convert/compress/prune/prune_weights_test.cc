#include "convert/compress/prune/prune_weights.h"

#include <algorithm>
#include <cmath>

#include "convert/compress/testing/small_network.h"

namespace stint {
namespace {

SmallNetwork TwoLayers() {
  SmallNetwork net(4);
  const ValueId a = net.Relu(net.Convolve(net.x, {16, 4, 3, 3}));
  net.Finish(net.Convolve(a, {8, 16, 1, 1}));
  return net;
}

int64_t CountZeros(const Tensor& w) {
  return std::count(w.data<float>(), w.data<float>() + w.size(), 0.0f);
}

TEST(PruneWeights, TakesTheSmallestOfALayer) {
  SmallNetwork net = TwoLayers();
  const Tensor before = RandomTensor({16, 4, 3, 3}, 1);
  const auto report = PruneWeights({.ratio = 0.5}, &net.graph);
  ASSERT_TRUE(report.ok());
  const Tensor& after = net.Constant("conv1", 1);
  EXPECT_EQ(CountZeros(after), (*report)[0].zeros);
  float largest_gone = 0, smallest_left = 1e9f;
  for (int64_t i = 0; i < after.size(); ++i) {
    const float size = std::fabs(before.data<float>()[i]);
    if (after.data<float>()[i] == 0) {
      largest_gone = std::max(largest_gone, size);
    } else {
      smallest_left = std::min(smallest_left, size);
      EXPECT_EQ(after.data<float>()[i], before.data<float>()[i]);
    }
  }
  EXPECT_GT(largest_gone, 0);
  EXPECT_LE(largest_gone, smallest_left);
}

TEST(PruneWeights, SharesTheRatioOutWhateverTheScaleOfALayer) {
  SmallNetwork net = TwoLayers();
  SmallNetwork scaled = TwoLayers();
  Tensor& second = scaled.Constant("conv2", 1);
  for (int64_t i = 0; i < second.size(); ++i) second.data<float>()[i] *= 64;
  const auto report = PruneWeights({.ratio = 0.5}, &net.graph);
  const auto same = PruneWeights({.ratio = 0.5}, &scaled.graph);
  ASSERT_TRUE(report.ok() && same.ok());
  EXPECT_EQ((*report)[0].zeros + (*report)[1].zeros, (576 + 128) / 2);
  EXPECT_EQ((*report)[1].zeros, (*same)[1].zeros);
}

// Of a layer with a few weights that matter, the others go first.
TEST(PruneWeights, LeavesEveryLayerAFifthOfTheShareThatStays) {
  SmallNetwork net = TwoLayers();
  Tensor& second = net.Constant("conv2", 1);
  for (int64_t i = 8; i < second.size(); ++i) {
    second.data<float>()[i] *= 1e-6f;
  }
  const auto report = PruneWeights({.ratio = 0.5}, &net.graph);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ((*report)[1].zeros, 115);  // of 128: nine tenths, rounded down
}

TEST(PruneWeights, PrunesEachLayerByItself) {
  SmallNetwork net = TwoLayers();
  const auto report =
      PruneWeights({.ratio = 0.75, .per_layer = true}, &net.graph);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ((*report)[0].zeros, 432);
  EXPECT_EQ((*report)[1].zeros, 96);
}

TEST(PruneWeights, TakesBlocksOfOutputsTogether) {
  SmallNetwork net = TwoLayers();
  const auto report =
      PruneWeights({.ratio = 0.5, .block = 4, .per_layer = true}, &net.graph);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ((*report)[0].zeros, 288);
  const Tensor& w = net.Constant("conv1", 1);
  for (int64_t o = 0; o < 16; o += 4) {
    for (int64_t i = 0; i < 36; ++i) {
      int zeros = 0;
      for (int64_t k = 0; k < 4; ++k) {
        zeros += w.data<float>()[(o + k) * 36 + i] == 0;
      }
      EXPECT_TRUE(zeros == 0 || zeros == 4);
    }
  }
}

TEST(PruneWeights, TakesGroupsOfChannelsTogether) {
  SmallNetwork net = TwoLayers();
  ASSERT_TRUE(
      PruneWeights({.ratio = 0.5, .channels = 4, .per_layer = true}, &net.graph)
          .ok());
  const Tensor& w = net.Constant("conv1", 1);  // [16, 4, 3, 3]
  EXPECT_EQ(CountZeros(w), w.size() / 2);
  for (int64_t o = 0; o < 16; ++o) {
    for (int64_t tap = 0; tap < 9; ++tap) {
      const float* four = w.data<float>() + o * 36 + tap;
      for (int64_t c = 1; c < 4; ++c) {
        EXPECT_EQ(four[c * 9] == 0, four[0] == 0) << o << " " << tap;
      }
    }
  }
}

TEST(PruneWeights, PrunesOnlyLayersThatAreNamed) {
  SmallNetwork net = TwoLayers();
  const auto report = PruneWeights({.ratios = {{"conv2", 0.75}}}, &net.graph);
  ASSERT_TRUE(report.ok());
  ASSERT_EQ(report->size(), 1u);
  EXPECT_EQ((*report)[0].zeros, 96);
  EXPECT_EQ(CountZeros(net.Constant("conv1", 1)), 0);
}

TEST(PruneWeights, FindsWeightsBehindATranspose) {
  Graph graph;
  const ValueId x = graph.AddInput("x", ValueType::Of(DType::kFloat32, {2, 8}));
  const ValueId w = graph.AddConstant("w", RandomTensor({6, 8}, 1));
  graph.MarkOutput(graph.Add("product", MatMul{},
                             {x, graph.Add("turn", Transpose{{1, 0}}, {w})}));
  ASSERT_TRUE(InferGraph(&graph).ok());
  const auto report = PruneWeights({.ratio = 0.5, .block = 2}, &graph);
  ASSERT_TRUE(report.ok()) << report.status().message();
  const float* pruned = graph.value(w).constant->data<float>();
  for (int64_t o = 0; o < 6; o += 2) {
    for (int64_t i = 0; i < 8; ++i) {
      EXPECT_EQ(pruned[o * 8 + i] == 0, pruned[(o + 1) * 8 + i] == 0);
    }
  }
  EXPECT_EQ((*report)[0].zeros, 24);
}

TEST(PruneWeights, LeavesTheOriginalOfACloneAlone) {
  SmallNetwork net = TwoLayers();
  const auto clone = net.graph.Clone();
  ASSERT_TRUE(PruneWeights({.ratio = 0.5}, clone.get()).ok());
  EXPECT_EQ(CountZeros(net.Constant("conv1", 1)), 0);
}

TEST(PruneWeights, RefusesRatiosOutOfRange) {
  SmallNetwork net = TwoLayers();
  for (double ratio : {-0.1, 1.0, 2.0, std::nan("")}) {
    EXPECT_EQ(PruneWeights({.ratio = ratio}, &net.graph).status().code(),
              StatusCode::kInvalidArgument);
  }
}

TEST(PruneWeights, RefusesAModelWithoutWeights) {
  SmallNetwork net(4);
  net.Finish(net.Relu(net.x));
  EXPECT_EQ(PruneWeights({.ratio = 0.5}, &net.graph).status().code(),
            StatusCode::kUnsupported);
}

}  // namespace
}  // namespace stint
