// What is done with data: statistics of channels and int8 codes.

#include <cmath>

#include "convert/compress/integers/quantize_graph.h"
#include "convert/compress/prune/prune_weights.h"
#include "convert/compress/repair/match_statistics.h"
#include "convert/compress/store_half.h"
#include "convert/compress/testing/small_network.h"

namespace stint {
namespace {

SmallNetwork Residual() {
  SmallNetwork net(3);
  const ValueId a = net.Relu(net.Convolve(net.x, {16, 3, 3, 3}));
  const ValueId b = net.Relu(net.Convolve(a, {16, 16, 3, 3}));
  const ValueId c = net.Relu(net.Sum(a, net.Convolve(b, {16, 16, 3, 3})));
  net.Finish(net.Classify(c, 16 * 36, 10));
  return net;
}

Samples MakeSamples() {
  Samples samples;
  for (uint64_t s = 0; s < 3; ++s) {
    samples.push_back({Value(RandomTensor({8, 3, 6, 6}, 50 + s))});
  }
  return samples;
}

double Distance(const std::vector<float>& a, const std::vector<float>& b) {
  double error = 0, size = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    error += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return std::sqrt(error / size);
}

TEST(RunLayerwise, GivesWhatAnOrdinaryRunGives) {
  SmallNetwork net = Residual();
  const Samples samples = MakeSamples();
  const ValueId out = net.graph.outputs()[0];
  ThreadPool pool(1);
  std::vector<std::vector<float>> found;
  const Status status =
      RunLayerwise(net.graph, samples, &pool, [&](NodeId id, Tensor* y) {
        if (net.graph.node(id).outputs[0] != out) return OkStatus();
        found.emplace_back(y->data<float>(), y->data<float>() + y->size());
        return OkStatus();
      });
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_EQ(found.size(), samples.size());
  for (size_t s = 0; s < found.size(); ++s) {
    ExpectNear(found[s], RunGraph(net.graph, samples[s][0].tensor()), 1e-3f);
  }
}

TEST(MatchStatistics, MakesEveryChannelOfEveryLayerAsItWas) {
  SmallNetwork net = Residual();
  const Samples samples = MakeSamples();
  ThreadPool pool(1);
  const auto wanted = MeasureStatistics(net.graph, samples, &pool);
  ASSERT_TRUE(wanted.ok());
  ASSERT_EQ(wanted->size(), 4u);
  ASSERT_TRUE(PruneWeights({.ratio = 0.3}, &net.graph).ok());
  const auto matched = MatchStatistics(*wanted, samples, &pool, {}, &net.graph);
  ASSERT_TRUE(matched.ok()) << matched.status().message();
  EXPECT_EQ(*matched, 4);
  const auto found = MeasureStatistics(net.graph, samples, &pool);
  ASSERT_TRUE(found.ok());
  for (const auto& [id, statistics] : *wanted) {
    for (size_t c = 0; c < statistics.mean.size(); ++c) {
      const double deviation = std::sqrt(statistics.variance[c]);
      EXPECT_NEAR(found->at(id).mean[c], statistics.mean[c], 1e-3 * deviation);
      EXPECT_NEAR(std::sqrt(found->at(id).variance[c]), deviation,
                  1e-3 * deviation);
    }
  }
}

TEST(MatchStatistics, ChangesNothingWhereNothingWasPruned) {
  SmallNetwork net = Residual();
  const Samples samples = MakeSamples();
  const auto before = RunGraph(net.graph, samples[0][0].tensor());
  ThreadPool pool(1);
  const auto wanted = MeasureStatistics(net.graph, samples, &pool);
  ASSERT_TRUE(wanted.ok());
  ASSERT_TRUE(MatchStatistics(*wanted, samples, &pool, {}, &net.graph).ok());
  EXPECT_LT(Distance(RunGraph(net.graph, samples[0][0].tensor()), before),
            1e-5);
}

class QuantizeGraphTest : public testing::TestWithParam<RangeObserver> {};

TEST_P(QuantizeGraphTest, AnswersNearlyTheSameOnBytes) {
  SmallNetwork net = Residual();
  const Samples samples = MakeSamples();
  const Tensor input = samples[0][0].tensor();
  const auto before = RunGraph(net.graph, input);
  ThreadPool pool(1);
  IntegerOptions options;
  options.observer = GetParam();
  const auto report = QuantizeGraph(options, samples, &pool, &net.graph);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->convolutions, 3);
  // The input, two activations and the sum, which the third layer takes up.
  EXPECT_EQ(report->images, 4);
  EXPECT_TRUE(VerifyGraph(net.graph).ok());
  const double distance = Distance(RunGraph(net.graph, input), before);
  EXPECT_LT(distance, 0.03);
  EXPECT_GT(distance, 0);
}

INSTANTIATE_TEST_SUITE_P(Observers, QuantizeGraphTest,
                         testing::Values(RangeObserver::kBest,
                                         RangeObserver::kMinMax,
                                         RangeObserver::kPercentile,
                                         RangeObserver::kMse));

TEST(QuantizeGraph, TakesOnlyTheLayersThatAreNamed) {
  SmallNetwork net = Residual();
  const Samples samples = MakeSamples();
  ThreadPool pool(1);
  IntegerOptions options;
  std::string last;
  for (NodeId id : net.graph.order()) {
    if (As<Conv>(net.graph.node(id).op)) last = net.graph.node(id).name;
  }
  options.layers = {last};
  const auto report = QuantizeGraph(options, samples, &pool, &net.graph);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->convolutions, 1);
  // What it reads, what is added to it, and the sum.
  EXPECT_EQ(report->images, 3);
}

TEST(QuantizeGraph, WeightsAreInt8PerOutputAndBiasesInt32) {
  SmallNetwork net = Residual();
  ThreadPool pool(1);
  ASSERT_TRUE(QuantizeGraph({}, MakeSamples(), &pool, &net.graph).ok());
  const Node& conv = net.At("conv2");
  const Node& weights =
      net.graph.node(net.graph.value(conv.inputs[1]).producer);
  const Node& bias = net.graph.node(net.graph.value(conv.inputs[2]).producer);
  ASSERT_TRUE(As<DequantizeLinear>(weights.op));
  EXPECT_EQ(net.graph.value(weights.inputs[0]).constant->dtype(), DType::kInt8);
  EXPECT_EQ(net.graph.value(weights.inputs[1]).constant->shape(), (Shape{16}));
  EXPECT_EQ(net.graph.value(bias.inputs[0]).constant->dtype(), DType::kInt32);
}

TEST(QuantizeGraph, NeedsSamplesAndConvolutions) {
  SmallNetwork net = Residual();
  ThreadPool pool(1);
  EXPECT_EQ(QuantizeGraph({}, {}, &pool, &net.graph).status().code(),
            StatusCode::kInvalidArgument);
  SmallNetwork none(3);
  none.Finish(none.Classify(none.x, 3 * 36, 10));
  EXPECT_EQ(
      QuantizeGraph({}, MakeSamples(), &pool, &none.graph).status().code(),
      StatusCode::kUnsupported);
}

int CountOps(const Graph& graph, std::string_view name) {
  int count = 0;
  for (NodeId id : graph.order()) count += OpName(graph.node(id).op) == name;
  return count;
}

// x * clamp(x + 3, 0, 6) / 6, as some exporters spell it.
ValueId SpelledHardSwish(SmallNetwork* net, ValueId x) {
  const auto scalar = [&](float value) {
    return net->graph.AddConstant("s" + std::to_string(net->graph.num_values()),
                                  Tensor::Scalar(value));
  };
  Graph& graph = net->graph;
  const ValueId sum =
      graph.Add("sum3", Binary{BinaryKind::kAdd}, {x, scalar(3)});
  const ValueId gate = graph.Add("clip6", Clip{}, {sum, scalar(0), scalar(6)});
  const ValueId product =
      graph.Add("product6", Binary{BinaryKind::kMul}, {x, gate});
  return graph.Add("over6", Binary{BinaryKind::kDiv}, {product, scalar(6)});
}

TEST(QuantizeGraph, AnActivationThatIsSpelledOutIsOneBetweenCodes) {
  SmallNetwork net(3);
  const ValueId a = SpelledHardSwish(&net, net.Convolve(net.x, {16, 3, 3, 3}));
  net.Finish(net.Convolve(a, {16, 16, 3, 3}));
  const Tensor input = RandomTensor({2, 3, 6, 6}, 5);
  const auto before = RunGraph(net.graph, input);
  ThreadPool pool(1);
  const auto report = QuantizeGraph({}, MakeSamples(), &pool, &net.graph);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->convolutions, 2);
  EXPECT_EQ(CountOps(net.graph, "HardSwish"), 1);
  EXPECT_EQ(CountOps(net.graph, "Clip"), 0);
  // The input and what the activation gives.
  EXPECT_EQ(report->images, 2);
  EXPECT_LT(Distance(RunGraph(net.graph, input), before), 0.05);
}

// Sessions take a leak up only between codes.
TEST(QuantizeGraph, WhatLeaksHasACodeOnBothSides) {
  SmallNetwork net(3);
  const ValueId a =
      net.graph.Add("leak", LeakyRelu{}, {net.Convolve(net.x, {16, 3, 3, 3})});
  net.Finish(net.Convolve(a, {16, 16, 3, 3}));
  ThreadPool pool(1);
  const auto report = QuantizeGraph({}, MakeSamples(), &pool, &net.graph);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->convolutions, 2);
  // The input, the convolution's sums and what the leak makes of them.
  EXPECT_EQ(report->images, 3);
}

TEST(QuantizeGraph, AConvolutionAloneBetweenOthersStaysUnlessItIsLarge) {
  for (const int64_t channels : {16, 160}) {
    SmallNetwork net(3);
    const ValueId a = net.Relu(net.Convolve(net.x, {8, 3, 3, 3}));
    const ValueId b = net.Relu(net.Convolve(a, {channels, 8, 3, 3}));
    const ValueId soft = net.graph.Add("soft", Softmax{1}, {b});
    const ValueId c = net.Convolve(soft, {channels, channels, 1, 1});
    net.Finish(net.graph.Add("soft2", Softmax{1}, {c}));
    ThreadPool pool(1);
    const auto report = QuantizeGraph({}, MakeSamples(), &pool, &net.graph);
    ASSERT_TRUE(report.ok()) << report.status().message();
    EXPECT_EQ(report->left_in_float.size(), channels == 16 ? 1 : 0);
    EXPECT_EQ(report->convolutions, channels == 16 ? 2 : 3);
  }
}

TEST(StoreHalf, KeepsWeightsInTwoBytes) {
  for (DType dtype : {DType::kFloat16, DType::kBFloat16}) {
    SmallNetwork net = Residual();
    const Tensor input = RandomTensor({2, 3, 6, 6}, 5);
    const auto before = RunGraph(net.graph, input);
    const auto stored = StoreHalf(dtype, &net.graph);
    ASSERT_TRUE(stored.ok()) << stored.status().message();
    EXPECT_EQ(*stored, 4);
    const double distance = Distance(RunGraph(net.graph, input), before);
    EXPECT_LT(distance, dtype == DType::kFloat16 ? 2e-3 : 2e-2);
    EXPECT_GT(distance, 0);
  }
}

TEST(StoreHalf, RefusesWeightsThatFloat16CannotHold) {
  SmallNetwork net = Residual();
  net.Constant("conv1", 1).data<float>()[0] = 1e6f;
  const auto stored = StoreHalf(DType::kFloat16, &net.graph);
  EXPECT_EQ(stored.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(stored.status().message().find("conv1.w"), std::string::npos);
}

}  // namespace
}  // namespace stint
