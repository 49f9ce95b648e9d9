// Recovery by least squares: networks of which nothing is lost that cannot be
// made up for must answer as before.

#include <cmath>

#include "convert/compress/prune/prune_channels.h"
#include "convert/compress/prune/prune_weights.h"
#include "convert/compress/prune/remove_branches.h"
#include "convert/compress/repair/match_statistics.h"
#include "convert/compress/repair/refit_layers.h"
#include "convert/compress/testing/small_network.h"

namespace stint {
namespace {

Samples MakeSamples() {
  Samples samples;
  for (uint64_t s = 0; s < 4; ++s) {
    samples.push_back({Value(RandomTensor({16, 3, 6, 6}, 50 + s))});
  }
  return samples;
}

// Of answers to a picture that no sample holds.
double Distance(const Graph& a, const Graph& b) {
  const Tensor input = RandomTensor({4, 3, 6, 6}, 7);
  const auto found = RunGraph(a, input);
  const auto expected = RunGraph(b, input);
  double error = 0, size = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    error += (found[i] - expected[i]) * (found[i] - expected[i]);
    size += expected[i] * expected[i];
  }
  return std::sqrt(error / size);
}

// Enough that nothing but what cannot be had is missing.
RefitOptions Exact() {
  RefitOptions options;
  options.fit = {.steps = 300, .ridge = 1e-7f};
  return options;
}

void Refit(const Graph& original, const RefitOptions& options, int layers,
           Graph* graph) {
  ThreadPool pool(2);
  const auto fitted =
      RefitLayers(original, {.fit = MakeSamples()}, options, &pool, graph);
  ASSERT_TRUE(fitted.ok()) << fitted.status().message();
  EXPECT_EQ(std::ssize(*fitted), layers);
}

NormalEquations SumOf(const std::vector<LayerSample>& samples,
                      const LayerPlaces& places, ThreadPool* pool) {
  ProductSum sum(places, pool);
  for (const LayerSample& sample : samples) sum.Add(sample);
  return sum.Finish();
}

TEST(FitWeights, FindsTheWeightsThatMadeTheOutputs) {
  SmallNetwork net(3);
  Conv strided;
  strided.strides = {2, 2};
  net.Finish(net.Convolve(net.x, {5, 3, 3, 3}, strided));
  std::vector<LayerSample> samples;
  for (uint64_t i = 0; i < 3; ++i) {
    const Tensor x = RandomTensor({16, 3, 6, 6}, 20 + i);
    samples.push_back(
        {{{3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}},
         x,
         Tensor::FromVector({16, 5, 3, 3}, RunGraph(net.graph, x)).value()});
  }
  ThreadPool pool(1);
  const NormalEquations equations =
      SumOf(samples, {{0, 3}, {0, 5}, 9, 3 * 16 * 9, 1 << 20}, &pool);
  ASSERT_EQ(equations.terms, 28);
  std::vector<float> weights(5 * 28, 0.0f);
  FitWeights(equations, Exact().fit, {}, &pool, &weights);
  for (int64_t o = 0; o < 5; ++o) {
    for (int64_t i = 0; i < 27; ++i) {
      EXPECT_NEAR(weights[static_cast<size_t>(o * 28 + i)],
                  net.Constant("conv1", 1).data<float>()[o * 27 + i], 1e-3);
    }
    EXPECT_NEAR(weights[static_cast<size_t>(o * 28 + 27)],
                net.Constant("conv1", 2).data<float>()[o], 1e-3);
  }
}

TEST(FitWeights, LeavesFixedWeightsAlone) {
  NormalEquations equations;
  equations.terms = 2;
  equations.outputs = 1;
  equations.squares = {1.0f, 0.5f, 0.5f, 1.0f};
  equations.products = {2.0f, 3.0f};
  std::vector<float> weights = {0.0f, 1.0f};
  ThreadPool pool(1);
  FitWeights(equations, {.steps = 10, .ridge = 0}, {true, false}, &pool,
             &weights);
  EXPECT_EQ(weights[0], 0.0f);
  EXPECT_NEAR(weights[1], 3.0f, 1e-5);
}

TEST(ProductSum, FewPlacesTellNearlyWhatAllDo) {
  const std::vector<LayerSample> samples = {
      {{{1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}},
       RandomTensor({8, 2, 32, 32}, 1),
       RandomTensor({8, 3, 32, 32}, 2)}};
  ThreadPool pool(1);
  LayerPlaces places = {{0, 2}, {0, 3}, 1, 8 * 32 * 32, 1 << 20};
  const auto all = SumOf(samples, places, &pool);
  places.most = 4000;
  const auto some = SumOf(samples, places, &pool);
  for (size_t i = 0; i < all.squares.size(); ++i) {
    EXPECT_NEAR(some.squares[i], all.squares[i], 0.02);
  }
  EXPECT_NE(some.squares, all.squares);
  EXPECT_FLOAT_EQ(all.squares.back(), 1.0f);  // the bias's term
}

TEST(RefitLayers, ReadersMakeUpForChannelsThatOthersRepeat) {
  SmallNetwork net(3);
  const ValueId a = net.Relu(net.Convolve(net.x, {16, 3, 3, 3}));
  net.Finish(net.Convolve(a, {5, 16, 3, 3}));
  // Channels 8 to 15 are a tenth of what 0 to 7 are.
  float* w = net.Constant("conv1", 1).data<float>();
  float* b = net.Constant("conv1", 2).data<float>();
  for (int64_t i = 0; i < 8 * 27; ++i) w[8 * 27 + i] = w[i] / 10;
  for (int64_t i = 0; i < 8; ++i) b[8 + i] = b[i] / 10;
  ThreadPool pool(1);
  const auto energies = MeasureEnergies(net.graph, MakeSamples(), &pool);
  ASSERT_TRUE(energies.ok());
  const auto pruned = net.graph.Clone();
  const auto report = PruneChannels(
      {.ratio = 0.5, .multiple = 8, .energies = &*energies}, pruned.get());
  ASSERT_TRUE(report.ok()) << report.status().message();
  ASSERT_GT(Distance(*pruned, net.graph), 0.03);
  RefitOptions options = Exact();
  options.kept = report->kept;
  Refit(net.graph, options, 2, pruned.get());
  EXPECT_LT(Distance(*pruned, net.graph), 0.003);
}

TEST(RefitLayers, ALayerMakesUpForWhatItIsAddedTo) {
  SmallNetwork net(3);
  const ValueId a = net.Convolve(net.x, {6, 3, 1, 1});
  const ValueId b = net.Convolve(net.x, {6, 3, 1, 1});
  net.Finish(net.Sum(a, b));
  const auto pruned = net.graph.Clone();
  ASSERT_TRUE(PruneWeights({.ratios = {{"conv2", 0.7}}}, pruned.get()).ok());
  ASSERT_GT(Distance(*pruned, net.graph), 0.05);
  // The other, which only reads the input, is fitted for the sum's sake.
  Refit(net.graph, Exact(), 2, pruned.get());
  EXPECT_LT(Distance(*pruned, net.graph), 1e-3);
}

TEST(RefitLayers, FitsConvolutionsByChannelAndMatrices) {
  SmallNetwork net(3);
  const ValueId a = net.Convolve(net.x, {8, 3, 1, 1});
  Conv by_channel;
  by_channel.group = 8;
  const ValueId b = net.Convolve(a, {8, 1, 3, 3}, by_channel);
  net.Finish(net.Classify(b, 8 * 36, 10));
  const auto changed = net.graph.Clone();
  // What goes wrong in the first is mended by the second, channel by channel.
  for (NodeId id : changed->order()) {
    if (changed->node(id).name != "conv1") continue;
    auto& w = changed->value(changed->node(id).inputs[1]).constant;
    w = w->Clone().value();
    for (int64_t i = 0; i < w->size(); ++i) w->data<float>()[i] *= 3;
  }
  Refit(net.graph, {}, 3, changed.get());
  EXPECT_LT(Distance(*changed, net.graph), 1e-2);
}

TEST(RefitLayers, KeepsZerosAndIsNearerThanStatistics) {
  SmallNetwork net = ResidualNetwork();
  const Samples samples = MakeSamples();
  ThreadPool pool(1);
  const auto statistics = MeasureStatistics(net.graph, samples, &pool);
  ASSERT_TRUE(statistics.ok());
  const auto pruned = net.graph.Clone();
  ASSERT_TRUE(PruneWeights({.ratio = 0.6}, pruned.get()).ok());
  const auto matched = pruned->Clone();
  ASSERT_TRUE(
      MatchStatistics(*statistics, samples, &pool, {}, matched.get()).ok());
  Refit(net.graph, {}, 4, pruned.get());
  EXPECT_LT(Distance(*pruned, net.graph), 0.8 * Distance(*matched, net.graph));
  int64_t zeros = 0, weights = 0;
  for (const WeightMatrix& matrix : FindWeights(*pruned)) {
    const Tensor& w = *pruned->value(matrix.value).constant;
    zeros += std::count(w.data<float>(), w.data<float>() + w.size(), 0.0f);
    weights += w.size();
  }
  EXPECT_NEAR(static_cast<double>(zeros), 0.6 * static_cast<double>(weights),
              4);
}

TEST(RefitLayers, ChangesNothingWhereNothingWasPruned) {
  SmallNetwork net = ResidualNetwork();
  const auto same = net.graph.Clone();
  Refit(net.graph, {}, 0, same.get());
  EXPECT_EQ(Distance(*same, net.graph), 0);
}

TEST(RefitLayers, LeavesWhatStandsBeforeTheFirstChangeAlone) {
  SmallNetwork net = ResidualNetwork();
  const auto pruned = net.graph.Clone();
  ASSERT_TRUE(PruneWeights({.ratios = {{"conv2", 0.5}}}, pruned.get()).ok());
  Refit(net.graph, {}, 3, pruned.get());
  for (NodeId id : pruned->order()) {
    if (pruned->node(id).name != "conv1") continue;
    EXPECT_EQ(pruned->value(pruned->node(id).inputs[1]).constant->raw(),
              net.Constant("conv1", 1).raw());
  }
}

TEST(RefitLayers, LeavesWhatIsOutOfReachAlone) {
  SmallNetwork net = ResidualNetwork();
  const auto pruned = net.graph.Clone();
  ASSERT_TRUE(PruneWeights({.ratios = {{"conv2", 0.5}}}, pruned.get()).ok());
  const double before = Distance(*pruned, net.graph);
  RefitOptions options;
  options.reach = 2;
  Refit(net.graph, options, 2, pruned.get());
  EXPECT_LT(Distance(*pruned, net.graph), before);
  for (NodeId id : pruned->order()) {
    const Node& node = pruned->node(id);
    if (node.name.rfind("conv", 0) != 0) continue;
    const bool same = pruned->value(node.inputs[1]).constant->raw() ==
                      net.Constant(node.name, 1).raw();
    EXPECT_EQ(same, node.name == "conv1" || node.name == "conv4") << node.name;
  }
}

TEST(RemoveBranches, ASumPassesOnWhatTheBranchWasAddedTo) {
  SmallNetwork net = ResidualNetwork();
  Tensor& w = net.Constant("conv3", 1);
  std::fill_n(w.data<float>(), w.size(), 0.0f);
  std::fill_n(net.Constant("conv3", 2).data<float>(), 16, 0.0f);
  const auto removed = net.graph.Clone();
  const Status status = RemoveBranches({"conv2"}, removed.get());
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(Distance(*removed, net.graph), 0);
  // conv4 reads the first Relu: the sum and the Relu behind it are unread.
  for (NodeId id : removed->order()) {
    if (removed->node(id).name != "conv4") continue;
    const NodeId maker = removed->value(removed->node(id).inputs[0]).producer;
    EXPECT_EQ(removed->node(maker).inputs[0], net.At("conv1").outputs[0]);
  }
}

TEST(RemoveBranches, RefusesLayersThatAreNotInABranch) {
  SmallNetwork net = ResidualNetwork();
  const Status status = RemoveBranches({"conv1"}, &net.graph);
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_NE(status.message().find("conv1"), std::string::npos);
}

TEST(PruneChannels, ChannelsThatCarryNothingGoHoweverLargeTheirWeights) {
  SmallNetwork net(3);
  const ValueId a = net.Relu(net.Convolve(net.x, {16, 3, 1, 1}));
  net.Finish(net.Convolve(a, {5, 16, 1, 1}));
  // Channels 0 to 7 are never above 0, and read by large weights.
  for (int64_t c = 0; c < 8; ++c) {
    net.Constant("conv1", 2).data<float>()[c] = -5;
    for (int64_t o = 0; o < 5; ++o) {
      net.Constant("conv2", 1).data<float>()[o * 16 + c] *= 10;
    }
  }
  ThreadPool pool(1);
  const auto energies = MeasureEnergies(net.graph, MakeSamples(), &pool);
  ASSERT_TRUE(energies.ok());
  const auto pruned = net.graph.Clone();
  ASSERT_TRUE(
      PruneChannels({.ratio = 0.5, .energies = &*energies}, pruned.get()).ok());
  EXPECT_LT(Distance(*pruned, net.graph), 1e-6);
}

}  // namespace
}  // namespace stint
