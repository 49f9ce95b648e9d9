// A channel that is always 0 can go without changing any answer: networks in
// which half of the channels are silenced, and made small so that pruning picks
// them, must answer the same when they are gone.

#include "convert/compress/prune/prune_channels.h"

#include "convert/compress/testing/small_network.h"

namespace stint {
namespace {

const std::vector<int64_t> kOdd = {1, 3, 5, 7, 9, 11, 13, 15};

Tensor Input(int64_t channels) { return RandomTensor({2, channels, 6, 6}, 9); }

Shape WeightShape(SmallNetwork& net, const std::string& layer) {
  return net.Constant(layer, 1).shape();
}

Result<PrunedChannels> Halve(SmallNetwork* net) {
  return PruneChannels({.ratio = 0.5, .multiple = 8}, &net->graph);
}

TEST(PruneChannels, ShrinksALayerAndItsReader) {
  SmallNetwork net(3);
  const ValueId a = net.Relu(net.Convolve(net.x, {16, 3, 3, 3}));
  net.Finish(net.Convolve(a, {5, 16, 3, 3}));
  net.Silence("conv1", kOdd);
  const auto before = RunGraph(net.graph, Input(3));
  const auto report = Halve(&net);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(WeightShape(net, "conv1"), (Shape{8, 3, 3, 3}));
  EXPECT_EQ(WeightShape(net, "conv2"), (Shape{5, 8, 3, 3}));
  EXPECT_EQ(report->before, 21);
  EXPECT_EQ(report->after, 13);
  EXPECT_EQ(report->fixed, 5);  // the output
  ExpectNear(RunGraph(net.graph, Input(3)), before, 1e-4f);
}

TEST(PruneChannels, KeepsWhatResidualSumsTieTogether) {
  SmallNetwork net(3);
  const ValueId a = net.Relu(net.Convolve(net.x, {16, 3, 3, 3}));
  const ValueId b = net.Relu(net.Convolve(a, {16, 16, 3, 3}));
  const ValueId c = net.Convolve(b, {16, 16, 3, 3});
  const ValueId d = net.Relu(net.Sum(a, c));
  net.Finish(net.Convolve(d, {4, 16, 1, 1}));
  for (const char* layer : {"conv1", "conv2", "conv3"}) {
    net.Silence(layer, kOdd);
  }
  const auto before = RunGraph(net.graph, Input(3));
  const auto report = Halve(&net);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(WeightShape(net, "conv3"), (Shape{8, 8, 3, 3}));
  // The layers of one sum keep the same channels.
  std::vector<std::vector<int64_t>> kept;
  for (const auto& [node, channels] : report->kept) {
    if (net.graph.node(node).name != "conv2") kept.push_back(channels);
  }
  EXPECT_EQ(kept[0], kept[1]);
  ExpectNear(RunGraph(net.graph, Input(3)), before, 1e-4f);
}

TEST(PruneChannels, FollowsDepthwiseConcatAndFlatten) {
  SmallNetwork net(3);
  const ValueId a = net.Relu(net.Convolve(net.x, {16, 3, 3, 3}));
  Conv depthwise;
  depthwise.group = 16;
  const ValueId deep = net.Convolve(a, {16, 1, 3, 3}, depthwise);
  const ValueId b = net.Relu(net.Convolve(net.x, {16, 3, 1, 1}));
  const ValueId both = net.graph.Add("both", Concat{1}, {deep, b});
  net.Finish(net.Classify(both, 32 * 36, 10));
  for (const char* layer : {"conv1", "conv2", "conv3"}) {
    net.Silence(layer, kOdd);
  }
  const auto before = RunGraph(net.graph, Input(3));
  const auto report = Halve(&net);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(WeightShape(net, "conv2"), (Shape{8, 1, 3, 3}));
  EXPECT_EQ(As<Conv>(net.At("conv2").op)->group, 8);
  EXPECT_EQ(WeightShape(net, "linear"), (Shape{16 * 36, 10}));
  ExpectNear(RunGraph(net.graph, Input(3)), before, 1e-4f);
}

// The shortcuts of CIFAR ResNets: every second pixel, zeros as new channels.
TEST(PruneChannels, FollowsShortcutsPaddedWithZeros) {
  SmallNetwork net(3);
  const ValueId a = net.Relu(net.Convolve(net.x, {16, 3, 3, 3}));
  const ValueId wide = net.Convolve(a, {32, 16, 3, 3});
  const ValueId pads = net.graph.AddConstant(
      "pads", Tensor::Vector<int64_t>({0, 8, 0, 0, 0, 8, 0, 0}));
  const ValueId padded = net.graph.Add("pad", Pad{}, {a, pads});
  const ValueId sum = net.Relu(net.Sum(wide, padded));
  net.Finish(net.Classify(sum, 32 * 36, 10));
  net.Silence("conv1", kOdd);
  std::vector<int64_t> odd;
  for (int64_t i = 1; i < 32; i += 2) odd.push_back(i);
  net.Silence("conv2", odd);
  const auto before = RunGraph(net.graph, Input(3));
  const auto report = Halve(&net);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(WeightShape(net, "conv1"), (Shape{8, 3, 3, 3}));
  EXPECT_EQ(WeightShape(net, "conv2"), (Shape{16, 8, 3, 3}));
  ExpectNear(RunGraph(net.graph, Input(3)), before, 1e-4f);
}

TEST(PruneChannels, NewChannelsOfAPadGoWhereAllThatItReadsStay) {
  SmallNetwork net(3);
  const ValueId a = net.Relu(net.Convolve(net.x, {8, 3, 3, 3}));
  const ValueId wide = net.Convolve(a, {32, 8, 3, 3});
  const ValueId pads = net.graph.AddConstant(
      "pads", Tensor::Vector<int64_t>({0, 12, 0, 0, 0, 12, 0, 0}));
  const ValueId padded = net.graph.Add("pad", Pad{}, {a, pads});
  const ValueId sum = net.Relu(net.Sum(wide, padded));
  net.Finish(net.Classify(sum, 32 * 36, 10));
  net.Silence("conv2", {28, 29, 30, 31});
  const auto before = RunGraph(net.graph, Input(3));
  const auto report = PruneChannels({.ratio = 0.25, .multiple = 4}, &net.graph);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(WeightShape(net, "conv1"), (Shape{8, 3, 3, 3}));
  EXPECT_EQ(WeightShape(net, "conv2"), (Shape{28, 8, 3, 3}));
  ExpectNear(RunGraph(net.graph, Input(3)), before, 1e-4f);
}

TEST(PruneChannels, RoundsUpToTheMultiple) {
  SmallNetwork net(3);
  const ValueId a = net.Relu(net.Convolve(net.x, {24, 3, 3, 3}));
  net.Finish(net.Convolve(a, {5, 24, 1, 1}));
  const auto report = PruneChannels({.ratio = 0.5, .multiple = 16}, &net.graph);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(WeightShape(net, "conv1"), (Shape{16, 3, 3, 3}));
}

TEST(PruneChannels, LeavesAloneWhatAnUnknownOperatorReads) {
  SmallNetwork net(3);
  const ValueId a = net.Convolve(net.x, {16, 3, 3, 3});
  const ValueId mixed = net.graph.Add("softmax", Softmax{1}, {a});
  net.Finish(net.Convolve(mixed, {16, 16, 3, 3}));
  const auto report = Halve(&net);
  EXPECT_EQ(report.status().code(), StatusCode::kUnsupported);
  EXPECT_NE(report.status().message().find("node 'softmax' (Softmax)"),
            std::string::npos)
      << report.status().message();
}

TEST(PruneChannels, RefusesRatiosOutOfRange) {
  SmallNetwork net(3);
  net.Finish(net.Convolve(net.x, {16, 3, 3, 3}));
  EXPECT_EQ(PruneChannels({.ratio = 1.0}, &net.graph).status().code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace stint
