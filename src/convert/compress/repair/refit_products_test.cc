// Recovery by least squares of networks of matrix products, whose weights are
// turned over and whose biases are added by nodes of their own, as in
// transformers; what repairs are judged by; and what memory they take.

#include <cmath>

#include "convert/compress/prune/prune_weights.h"
#include "convert/compress/repair/match_statistics.h"
#include "convert/compress/repair/refit_layers.h"
#include "convert/compress/testing/small_network.h"

namespace stint {
namespace {

constexpr int64_t kInputs = 3 * 6 * 6;

struct ProductNetwork : SmallNetwork {
  ProductNetwork() : SmallNetwork(3) {
    flat = graph.Add("flat", Flatten{}, {x});
  }
  // The weights lie as [outputs, inputs].
  ValueId Product(ValueId in, int64_t inputs, int64_t outputs) {
    const std::string name = "product" + std::to_string(++layers);
    const ValueId w = graph.AddConstant(
        name + ".w",
        RandomTensor({outputs, inputs}, static_cast<uint64_t>(layers)));
    const ValueId turned =
        graph.Add(name + ".turned", Transpose{.perm = {1, 0}}, {w});
    return graph.Add(name, MatMul{}, {in, turned});
  }
  ValueId Biased(ValueId in, int64_t outputs) {
    const std::string name = "bias" + std::to_string(layers);
    const ValueId bias = graph.AddConstant(
        name, RandomTensor({outputs}, static_cast<uint64_t>(layers) + 50));
    return graph.Add(name + ".add", Binary{BinaryKind::kAdd}, {in, bias});
  }

  ValueId flat;
};

// A constant's numbers, in memory of their own, become scale * number + shift.
void Change(const std::string& name, float scale, float shift, Graph* graph) {
  for (size_t i = 0; i < graph->num_values(); ++i) {
    GraphValue& value = graph->value({static_cast<int32_t>(i)});
    if (value.name != name || !value.constant) continue;
    value.constant = value.constant->Clone().value();
    float* x = value.constant->data<float>();
    for (int64_t k = 0; k < value.constant->size(); ++k) {
      x[k] = scale * x[k] + shift;
    }
  }
}

Samples MakeSamples() {
  Samples samples;
  for (uint64_t s = 0; s < 4; ++s) {
    samples.push_back({Value(RandomTensor({64, 3, 6, 6}, 50 + s))});
  }
  return samples;
}

// Of answers to a picture that no sample holds.
double DistanceOf(const Graph& original, const Graph& changed) {
  ThreadPool pool(1);
  const auto distance = OutputDistance(
      original, changed, {{Value(RandomTensor({4, 3, 6, 6}, 7))}}, &pool);
  EXPECT_TRUE(distance.ok()) << distance.status().message();
  return *distance;
}

RefitOptions Exact() {
  RefitOptions options;
  options.fit = {.steps = 300, .ridge = 1e-7f};
  return options;
}

std::vector<FittedLayer> Refit(const Graph& original,
                               const RepairSamples& samples,
                               const RefitOptions& options, Graph* graph) {
  ThreadPool pool(2);
  auto fitted = RefitLayers(original, samples, options, &pool, graph);
  EXPECT_TRUE(fitted.ok()) << fitted.status().message();
  return fitted.ok() ? *fitted : std::vector<FittedLayer>();
}

TEST(RefitLayers, WhatFollowsReadsWhatTurnedWeightsGiveOnceTheyAreFitted) {
  ProductNetwork net;
  const ValueId a = net.Relu(net.Product(net.flat, kInputs, 12));
  net.Finish(net.Product(a, 12, 5));
  const auto changed = net.graph.Clone();
  // The first can be mended wholly, and then the second is right as it is.
  Change("product1.w", 3, 0, changed.get());
  ASSERT_GT(DistanceOf(net.graph, *changed), 0.5);
  const auto fitted =
      Refit(net.graph, {.fit = MakeSamples()}, Exact(), changed.get());
  EXPECT_EQ(fitted.size(), 2u);
  EXPECT_LT(DistanceOf(net.graph, *changed), 0.01);
}

TEST(RefitLayers, ABiasOfItsOwnNodeMakesUpForWhatTheLayerIsAddedTo) {
  ProductNetwork net;
  const ValueId a = net.Biased(net.Product(net.flat, kInputs, 5), 5);
  const ValueId b = net.Biased(net.Product(net.flat, kInputs, 5), 5);
  net.Finish(net.Sum(a, b));
  const auto changed = net.graph.Clone();
  Change("bias2", 1, 1, changed.get());
  ASSERT_GT(DistanceOf(net.graph, *changed), 0.1);
  const auto fitted =
      Refit(net.graph, {.fit = MakeSamples()}, Exact(), changed.get());
  ASSERT_EQ(fitted.size(), 1u);
  EXPECT_EQ(fitted[0].name, "product1");
  EXPECT_LT(DistanceOf(net.graph, *changed), 1e-3);
}

TEST(RefitLayers, AFitThatHeldBackSamplesSpeakAgainstIsDropped) {
  ProductNetwork net;
  const ValueId one = net.graph.AddConstant("one", Tensor::Scalar(1.0f));
  const ValueId more =
      net.graph.Add("more", Binary{BinaryKind::kAdd}, {net.flat, one});
  net.Finish(net.Product(more, kInputs, 5));
  const auto changed = net.graph.Clone();
  Change("one", 2, 0, changed.get());
  // On one picture the layer can make up for the shift of what it reads, and
  // then errs on its like far on the other side.
  RepairSamples samples;
  const Tensor picture = RandomTensor({1, 3, 6, 6}, 3);
  Tensor far = picture.Clone().value();
  for (int64_t i = 0; i < far.size(); ++i) far.data<float>()[i] *= -50;
  samples.fit = {{Value(picture)}};
  samples.held_back = {{Value(far)}};
  const auto pruned = changed->Clone();
  const auto fitted = Refit(net.graph, samples, Exact(), changed.get());
  ASSERT_EQ(fitted.size(), 1u);
  EXPECT_FALSE(fitted[0].kept);
  EXPECT_GT(fitted[0].after, fitted[0].before);
  EXPECT_EQ(DistanceOf(*pruned, *changed), 0);
}

TEST(RefitLayers, SaysHowMuchNearerALayerIsOnSamplesHeldBack) {
  SmallNetwork net = ResidualNetwork();
  const auto pruned = net.graph.Clone();
  ASSERT_TRUE(PruneWeights({.ratio = 0.5}, pruned.get()).ok());
  RepairSamples samples;
  samples.fit = MakeSamples();
  samples.held_back = {{Value(RandomTensor({16, 3, 6, 6}, 99))}};
  const auto fitted = Refit(net.graph, samples, {}, pruned.get());
  ASSERT_EQ(fitted.size(), 4u);
  for (const FittedLayer& layer : fitted) {
    // It reads noise: what is left of it is as good as it gets.
    if (layer.name == "conv1") continue;
    EXPECT_TRUE(layer.kept) << layer.name;
    EXPECT_GT(layer.after, 0);
    EXPECT_LT(layer.after, layer.before) << layer.name;
  }
}

std::vector<float> AllWeights(const Graph& graph) {
  std::vector<float> all;
  for (const WeightMatrix& matrix : FindWeights(graph)) {
    const Tensor& w = *graph.value(matrix.value).constant;
    all.insert(all.end(), w.data<float>(), w.data<float>() + w.size());
  }
  return all;
}

TEST(RefitLayers, MemoryDecidesOnTimeNotOnWeights) {
  SmallNetwork net = ResidualNetwork();
  std::vector<std::vector<float>> found;
  for (const int64_t kept_bytes : {0, 60'000, 1 << 30}) {
    const auto pruned = net.graph.Clone();
    ASSERT_TRUE(PruneWeights({.ratio = 0.5}, pruned.get()).ok());
    RefitOptions options;
    options.kept_bytes = kept_bytes;
    Refit(net.graph, {.fit = MakeSamples()}, options, pruned.get());
    found.push_back(AllWeights(*pruned));
  }
  EXPECT_EQ(found[0], found[2]);
  EXPECT_EQ(found[1], found[2]);
}

TEST(MatchStatistics, MemoryDecidesOnTimeNotOnWeights) {
  SmallNetwork net = ResidualNetwork();
  ThreadPool pool(1);
  const auto wanted = MeasureStatistics(net.graph, MakeSamples(), &pool);
  ASSERT_TRUE(wanted.ok());
  std::vector<std::vector<float>> found;
  for (const int64_t kept_bytes : {0, 60'000, 1 << 30}) {
    const auto pruned = net.graph.Clone();
    ASSERT_TRUE(PruneWeights({.ratio = 0.5}, pruned.get()).ok());
    ASSERT_TRUE(MatchStatistics(*wanted, MakeSamples(), &pool,
                                {.kept_bytes = kept_bytes}, pruned.get())
                    .ok());
    found.push_back(AllWeights(*pruned));
  }
  EXPECT_EQ(found[0], found[2]);
  EXPECT_EQ(found[1], found[2]);
}

TEST(RefitLayers, NamesLayersThatAreTooWideForTheMemory) {
  SmallNetwork net = ResidualNetwork();
  const auto pruned = net.graph.Clone();
  ASSERT_TRUE(PruneWeights({.ratio = 0.5}, pruned.get()).ok());
  RefitOptions options;
  // Enough for the 27 terms of the first, not for the 144 of the others.
  options.sum_bytes = ProductSum::Bytes(30, 16);
  const auto fitted =
      Refit(net.graph, {.fit = MakeSamples()}, options, pruned.get());
  ASSERT_EQ(fitted.size(), 4u);
  int too_wide = 0;
  for (const FittedLayer& layer : fitted) {
    too_wide += layer.reason == "too wide for the memory";
  }
  EXPECT_EQ(too_wide, 2);
}

}  // namespace
}  // namespace stint
