// Graphs with Split, Concat, Resize, Slice, Transpose, grouped convolutions and
// squeeze-excite, in which every second channel of every layer is silenced, and
// made small so that pruning picks it: those that may go can go without
// changing any answer, and others must stay.

#include "convert/compress/prune/prune_channels.h"
#include "convert/compress/testing/small_network.h"

namespace stint {
namespace {

struct PrunedGraph : SmallNetwork {
  PrunedGraph() : SmallNetwork(3) {}

  ValueId Ints(const std::vector<int64_t>& values) {
    return graph.AddConstant("ints" + std::to_string(graph.num_values()),
                             Tensor::Vector(values));
  }
  std::vector<ValueId> SplitIn2(ValueId in, std::vector<int64_t> sizes) {
    const ValueId a = graph.AddValue("part_a");
    const ValueId b = graph.AddValue("part_b");
    std::vector<ValueId> inputs = {in};
    if (!sizes.empty()) inputs.push_back(Ints(sizes));
    graph.AddNode("split", Split{1}, inputs, {a, b});
    EXPECT_TRUE(InferGraph(&graph).ok());
    return {a, b};
  }

  // Silences every second channel of `layers`, finishes behind one more layer
  // and prunes half: the answers must be the same. Returns what was pruned.
  PrunedChannels HalveBehind(ValueId out, int64_t channels,
                             const std::vector<std::string>& layers_to) {
    Finish(Convolve(out, {5, channels, 1, 1}));
    for (const std::string& layer : layers_to) {
      std::vector<int64_t> odd;
      for (int64_t i = 1; i < Constant(layer, 1).dim(0); i += 2) {
        odd.push_back(i);
      }
      Silence(layer, odd);
    }
    const Tensor input = RandomTensor({2, 3, 6, 6}, 9);
    const auto before = RunGraph(graph, input);
    auto report = PruneChannels({.ratio = 0.5, .multiple = 4}, &graph);
    EXPECT_TRUE(report.ok()) << report.status().message();
    EXPECT_TRUE(VerifyGraph(graph).ok());
    ExpectNear(RunGraph(graph, input), before, 1e-4f);
    return report.ok() ? std::move(report).value() : PrunedChannels();
  }
  int64_t Outputs(const std::string& layer) {
    return Constant(layer, 1).dim(0);
  }
};

TEST(PruneChannels, PartsOfASplitShrinkWithWhatIsSplit) {
  for (const auto& sizes : {std::vector<int64_t>(), std::vector<int64_t>{8, 8},
                            std::vector<int64_t>{4, 12}}) {
    PrunedGraph net;
    const ValueId a = net.Relu(net.Convolve(net.x, {16, 3, 3, 3}));
    const auto parts = net.SplitIn2(a, sizes);
    const int64_t first = sizes.empty() ? 8 : sizes[0];
    // As in detectors: one part goes on, and all meet again.
    const ValueId b = net.Relu(net.Convolve(parts[0], {8, first, 3, 3}));
    const ValueId all =
        net.graph.Add("all", Concat{1}, {parts[0], parts[1], b});
    net.HalveBehind(all, 24, {"conv1", "conv2"});
    EXPECT_EQ(net.Outputs("conv1"), 8);
    EXPECT_EQ(net.Outputs("conv2"), 4);
  }
}

TEST(PruneChannels, OneChannelOfEachPartStays) {
  PrunedGraph net;
  const ValueId a = net.Relu(net.Convolve(net.x, {16, 3, 3, 3}));
  const auto parts = net.SplitIn2(a, {4, 12});
  const ValueId b = net.Convolve(parts[0], {8, 4, 3, 3});
  const ValueId c = net.Convolve(parts[1], {8, 12, 3, 3});
  net.Finish(net.Sum(b, c));
  net.Silence("conv1", {0, 1, 2, 3});
  const Tensor input = RandomTensor({2, 3, 6, 6}, 9);
  const auto before = RunGraph(net.graph, input);
  ASSERT_TRUE(PruneChannels({.ratio = 0.5, .multiple = 1}, &net.graph).ok());
  EXPECT_EQ(net.Constant("conv2", 1).dim(1), 1);
  EXPECT_EQ(RunGraph(net.graph, input).size(), before.size());
}

TEST(PruneChannels, SizesOfAResizeThatNameChannelsFollowThem) {
  PrunedGraph net;
  const ValueId a = net.Relu(net.Convolve(net.x, {16, 3, 3, 3}));
  const ValueId large = net.graph.Add(
      "resize", Resize{}, {a, kNoValue, kNoValue, net.Ints({2, 16, 12, 12})});
  net.HalveBehind(large, 16, {"conv1"});
  EXPECT_EQ(net.Outputs("conv1"), 8);
}

// As files declare values whose types cannot be inferred: sizes here are said
// for a batch that is not known.
TEST(PruneChannels, DeclaredTypesFollowTheChannels) {
  PrunedGraph net;
  const ValueId a = net.Relu(net.Convolve(net.x, {16, 3, 3, 3}));
  const ValueId scales =
      net.graph.AddConstant("scales", Tensor::Vector<float>({1, 1, 2, 2}));
  const ValueId large =
      net.graph.Add("resize", Resize{}, {a, kNoValue, scales});
  ASSERT_TRUE(InferGraph(&net.graph).ok());
  net.graph.value(large).type =
      ValueType::Of(DType::kFloat32, {net.graph.Symbol("batch"), 16, 12, 12});
  const ValueId b = net.Convolve(large, {8, 16, 1, 1});
  net.HalveBehind(b, 8, {"conv1", "conv2"});
  EXPECT_EQ(net.Outputs("conv1"), 8);
}

// Rows of a spectrum become an image of one channel: what made them are no
// channels of the convolution.
TEST(PruneChannels, FeaturesThatBecomePixelsHoldWhatMakesThem) {
  PrunedGraph net;
  const ValueId a = net.Relu(net.Convolve(net.x, {16, 3, 3, 3}));
  const ValueId mean = net.graph.Add("mean", GlobalAveragePool{}, {a});
  const ValueId flat = net.graph.Add("flat", Flatten{}, {mean});
  const ValueId w =
      net.graph.AddConstant("linear.w", RandomTensor({16, 16}, 5));
  const ValueId rows = net.graph.Add("linear", MatMul{}, {flat, w});
  const ValueId image =
      net.graph.Add("image", Unsqueeze{}, {rows, net.Ints({1, 2})});
  const ValueId b = net.Relu(net.Convolve(image, {16, 1, 3, 3}));
  const auto report = net.HalveBehind(b, 16, {"conv1", "conv2"});
  EXPECT_EQ(net.Constant("linear", 1).shape(), (Shape{8, 16}));
  EXPECT_EQ(net.Constant("conv2", 1).dim(1), 1);
  EXPECT_EQ(net.Outputs("conv2"), 8);
  EXPECT_EQ(report.held.at("node 'conv2' (Conv)"), 16);
}

TEST(PruneChannels, ScalesOfAResizeStay) {
  PrunedGraph net;
  const ValueId a = net.Relu(net.Convolve(net.x, {16, 3, 3, 3}));
  const ValueId scales =
      net.graph.AddConstant("scales", Tensor::Vector<float>({1, 1, 2, 2}));
  const ValueId large =
      net.graph.Add("resize", Resize{}, {a, kNoValue, scales});
  const ValueId b = net.Relu(net.Convolve(net.x, {8, 3, 1, 1}));
  const ValueId same =
      net.graph.Add("resize2", Resize{}, {b, kNoValue, scales});
  net.HalveBehind(net.graph.Add("both", Concat{1}, {large, same}), 24,
                  {"conv1", "conv2"});
  EXPECT_EQ(net.Outputs("conv1"), 8);
  EXPECT_EQ(net.Outputs("conv2"), 4);
}

TEST(PruneChannels, SlicesOfPixelsKeepChannelsAndSlicesOfChannelsHoldThem) {
  PrunedGraph pixels;
  const ValueId a = pixels.Relu(pixels.Convolve(pixels.x, {16, 3, 3, 3}));
  const ValueId part = pixels.graph.Add(
      "slice", Slice{},
      {a, pixels.Ints({1, 1}), pixels.Ints({5, 6}), pixels.Ints({2, 3})});
  pixels.HalveBehind(part, 16, {"conv1"});
  EXPECT_EQ(pixels.Outputs("conv1"), 8);

  for (const bool turned : {false, true}) {
    PrunedGraph net;
    const ValueId b = net.Relu(net.Convolve(net.x, {16, 3, 3, 3}));
    const ValueId c = net.Relu(net.Convolve(b, {16, 16, 3, 3}));
    const int64_t last = turned ? -100 : 8;
    const ValueId some =
        net.graph.Add("slice", Slice{},
                      {c, net.Ints({turned ? 15 : 0}), net.Ints({last}),
                       net.Ints({1}), net.Ints({turned ? -1 : 1})});
    const auto report =
        net.HalveBehind(some, turned ? 16 : 8, {"conv1", "conv2"});
    EXPECT_EQ(net.Outputs("conv1"), 8);
    EXPECT_EQ(net.Outputs("conv2"), 16);
    EXPECT_EQ(report.held.at("node 'slice' (Slice)"), 16);
  }
}

TEST(PruneChannels, TransposesCarryChannelsWithThem) {
  PrunedGraph net;
  const ValueId a = net.Relu(net.Convolve(net.x, {16, 3, 3, 3}));
  const ValueId last =
      net.graph.Add("last", Transpose{.perm = {0, 2, 3, 1}}, {a});
  Tensor weights = RandomTensor({16, 12}, 5);
  for (int64_t i = 0; i < 16; ++i) {
    std::fill_n(weights.data<float>() + i * 12, 4, 0.0f);
  }
  const ValueId w = net.graph.AddConstant("product.w", weights);
  const ValueId product = net.graph.Add("product", MatMul{}, {last, w});
  const ValueId back =
      net.graph.Add("back", Transpose{.perm = {0, 3, 1, 2}}, {product});
  net.HalveBehind(back, 12, {"conv1"});
  EXPECT_EQ(net.Outputs("conv1"), 8);
  EXPECT_EQ(net.Constant("product", 1).shape(), (Shape{8, 8}));
}

TEST(PruneChannels, GroupsOfSeveralChannelsStayAsTheyAre) {
  PrunedGraph net;
  const ValueId a = net.Relu(net.Convolve(net.x, {16, 3, 3, 3}));
  Conv grouped;
  grouped.group = 4;
  const ValueId b = net.Relu(net.Convolve(a, {16, 4, 3, 3}, grouped));
  const ValueId c = net.Relu(net.Convolve(b, {16, 16, 1, 1}));
  const auto report = net.HalveBehind(c, 16, {"conv1", "conv2", "conv3"});
  EXPECT_EQ(As<Conv>(net.At("conv2").op)->group, 4);
  EXPECT_EQ(net.Outputs("conv2"), 16);
  EXPECT_EQ(net.Outputs("conv3"), 8);
  EXPECT_EQ(report.held.at("node 'conv2' (Conv)"), 32);
}

// x times a number per channel, made of x's means.
TEST(PruneChannels, SqueezeExciteShrinksWithItsChannels) {
  for (const bool reduce : {false, true}) {
    PrunedGraph net;
    const ValueId a = net.Relu(net.Convolve(net.x, {16, 3, 3, 3}));
    const ValueId mean =
        reduce ? net.graph.Add("mean", Reduce{.kind = ReduceKind::kMean},
                               {a, net.Ints({2, 3})})
               : net.graph.Add("mean", GlobalAveragePool{}, {a});
    const ValueId less = net.Relu(net.Convolve(mean, {8, 16, 1, 1}));
    const ValueId gate = net.graph.Add("gate", HardSigmoid{},
                                       {net.Convolve(less, {16, 8, 1, 1})});
    const ValueId gated =
        net.graph.Add("gated", Binary{BinaryKind::kMul}, {a, gate});
    net.HalveBehind(gated, 16, {"conv1", "conv2", "conv3"});
    EXPECT_EQ(net.Outputs("conv1"), 8);
    EXPECT_EQ(net.Outputs("conv2"), 4);
    EXPECT_EQ(net.Outputs("conv3"), 8);
  }
}

// The same by matrices, which come from images and become images again.
TEST(PruneChannels, SqueezeExciteOfMatricesShrinksToo) {
  PrunedGraph net;
  const ValueId a = net.Relu(net.Convolve(net.x, {16, 3, 3, 3}));
  const ValueId mean = net.graph.Add("mean", GlobalAveragePool{}, {a});
  const ValueId flat = net.graph.Add("flat", Flatten{}, {mean});
  const ValueId w =
      net.graph.AddConstant("linear.w", RandomTensor({16, 16}, 5));
  const ValueId gate = net.graph.Add("linear", Gemm{}, {flat, w});
  const ValueId spread =
      net.graph.Add("spread", Reshape{}, {gate, net.Ints({-1, 16, 1, 1})});
  const ValueId gated =
      net.graph.Add("gated", Binary{BinaryKind::kMul}, {a, spread});
  net.HalveBehind(gated, 16, {"conv1"});
  EXPECT_EQ(net.Outputs("conv1"), 8);
  EXPECT_EQ(net.Constant("linear", 1).shape(), (Shape{8, 8}));
}

// An operator that reads a constant by channels and then something else that is
// not followed: nothing may be taken out, and nothing may break.
TEST(PruneChannels, SumsWithWhatIsNotFollowedHoldTheirChannels) {
  PrunedGraph net;
  const ValueId a = net.Relu(net.Convolve(net.x, {16, 3, 3, 3}));
  const ValueId b = net.Relu(net.Convolve(net.x, {16, 3, 1, 1}));
  const ValueId soft = net.graph.Add("softmax", Softmax{1}, {b});
  const ValueId constant =
      net.graph.AddConstant("constant", RandomTensor({16, 1, 1}, 4));
  const ValueId sum =
      net.graph.Add("sum", Variadic{VariadicKind::kSum}, {a, constant, soft});
  const ValueId c = net.Relu(net.Convolve(sum, {16, 16, 1, 1}));
  const auto report = net.HalveBehind(c, 16, {"conv3"});
  EXPECT_EQ(net.Outputs("conv1"), 16);
  EXPECT_EQ(net.Outputs("conv3"), 8);
  EXPECT_GT(report.fixed, 0);
}

}  // namespace
}  // namespace stint
