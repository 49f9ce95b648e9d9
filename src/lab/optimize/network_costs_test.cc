#include "lab/optimize/network_costs.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "convert/compress/integers/min_cut.h"
#include "lab/optimize/attempt.h"

namespace stint {
namespace {

double CostOf(const std::vector<LabelCosts>& items,
              const std::vector<Disagreement>& pairs, unsigned labels) {
  double cost = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    cost += items[i].cost[labels >> i & 1];
  }
  for (const Disagreement& pair : pairs) {
    if ((labels >> pair.a & 1) != (labels >> pair.b & 1)) cost += pair.cost;
  }
  return cost;
}

TEST(CheapestLabels, SmallDifferencesCountBesideAForbiddenLabel) {
  const std::vector<LabelCosts> items = {{{0.5, 0.2}}, {{0, kNever}}};
  EXPECT_EQ(CheapestLabels(items, {}), (std::vector<bool>{true, false}));
}

TEST(CheapestLabels, IsAsCheapAsTheBestOfAll) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int round = 0; round < 200; ++round) {
    const size_t count = 1 + round % 9;
    std::vector<LabelCosts> items(count);
    for (LabelCosts& item : items) {
      item.cost[0] = number(random);
      item.cost[1] = number(random);
    }
    std::vector<Disagreement> pairs;
    for (int p = 0; p < round % 17; ++p) {
      pairs.push_back(
          {random() % count, random() % count, (1 + number(random)) * 0.4});
    }
    double best = std::numeric_limits<double>::infinity();
    for (unsigned labels = 0; labels < 1u << count; ++labels) {
      best = std::min(best, CostOf(items, pairs, labels));
    }
    unsigned found = 0;
    const std::vector<bool> labels = CheapestLabels(items, pairs);
    ASSERT_EQ(labels.size(), count);
    for (size_t i = 0; i < count; ++i) found |= unsigned{labels[i]} << i;
    EXPECT_NEAR(CostOf(items, pairs, found), best, 1e-9);
  }
}

// A chain of three layers: 100 us each in float, 40 in bytes, and 30 to change
// between.
NetworkCosts Chain() {
  NetworkCosts costs;
  costs.rest_us = 5;
  for (const char* name : {"a", "b", "c"}) {
    CompressionCosts layer;
    layer.name = name;
    layer.plain = {{{}, 100, 0}, {{.zeros = 0.8}, 60, 0.2}};
    layer.bytes = LayerChoice{{.int8 = true}, 40, 0.01};
    costs.layers.push_back(layer);
  }
  costs.edges = {{0, 1, 30}, {1, 2, 30}};
  return costs;
}

TEST(CheapestAt, ChangesNothingAtAnyPriceOfAnswers) {
  const Combination found = CheapestAt(1e9, Chain());
  EXPECT_TRUE(found.layers.empty());
  EXPECT_EQ(found.us, 305);
  EXPECT_EQ(found.loss, 0);
}

TEST(CheapestAt, TakesWhatIsFastestWhenAnswersAreFree) {
  const Combination found = CheapestAt(0, Chain());
  ASSERT_EQ(found.layers.size(), 3u);
  EXPECT_TRUE(found.layers.at("b").int8);
  EXPECT_EQ(found.us, 125);
}

TEST(CheapestAt, CountsChangesOfForm) {
  NetworkCosts costs = Chain();
  for (CompressionCosts& layer : costs.layers) layer.plain.pop_back();
  costs.layers[1].bytes->us = 110;  // slower, but not by two conversions
  EXPECT_TRUE(CheapestAt(0, costs).layers.at("b").int8);
  costs.layers[1].bytes.reset();
  const Combination found = CheapestAt(0, costs);
  EXPECT_EQ(found.layers.count("b"), 0u);
  EXPECT_EQ(found.us, 5 + 40 + 30 + 100 + 30 + 40);
  costs.edges[0].us = 70;
  EXPECT_EQ(CheapestAt(0, costs).layers.count("a"), 0u);
}

TEST(CheapestAt, TakesChannelsThatAreWorthIt) {
  NetworkCosts costs = Chain();
  costs.channels = {
      {"a",
       {{0.25, 0.01, {{0, 0.75}, {1, 0.75}}}, {0.5, 1, {{0, 0.5}, {1, 0.5}}}}}};
  EXPECT_EQ(CheapestAt(0, costs).layers.at("a").channels, 0.5);
  const Combination found = CheapestAt(100, costs);
  EXPECT_EQ(found.layers.at("a").channels, 0.25);
  EXPECT_TRUE(found.layers.at("a").int8);
  EXPECT_EQ(found.us, 5 + 30 + 30 + 40);
  EXPECT_NEAR(found.loss, 0.04, 1e-12);
  EXPECT_EQ(CheapestAt(1e9, costs).layers.size(), 0u);
}

TEST(CheapestAt, TakesBranchesOutWithTheirLayers) {
  NetworkCosts costs = Chain();
  costs.channels = {{"a", {{0.5, 0.02, {{0, 0.5}}}, {1, 0.1, {{0, 0.0}}}}}};
  const Combination found = CheapestAt(0, costs);
  EXPECT_EQ(found.layers.at("a").channels, 1);
  EXPECT_EQ(found.us, 5 + 40 + 40);
  EXPECT_EQ(CheapestAt(400, costs).layers.at("a").channels, 0.5);
}

TEST(Tradeoffs, LeaveEverySumABranch) {
  NetworkCosts costs = Chain();
  costs.edges.clear();
  costs.channels = {{"a", {{1, 0.1, {{0, 0.0}}}}, 7},
                    {"b", {{0.5, 0.3, {{1, 0.5}}}, {1, 0.2, {{1, 0.0}}}}, 7},
                    {"c", {{1, 0.2, {{2, 0.0}}}}, 8}};
  const auto gone = [](const Combination& row, const char* layer) {
    const auto found = row.layers.find(layer);
    return found != row.layers.end() && found->second.channels == 1;
  };
  bool one = false;
  for (const Combination& row : Tradeoffs(costs)) {
    EXPECT_FALSE(gone(row, "a") && gone(row, "b"));
    one |= gone(row, "c") && (gone(row, "a") || gone(row, "b"));
  }
  EXPECT_TRUE(one);
}

TEST(FastestWithin, FindsWhatLiesBetweenTwoSteps) {
  NetworkCosts costs = Chain();
  costs.edges.clear();
  // At no price would only c go: a saves more for what it loses.
  costs.channels = {{"a", {{1, 1.0, {{0, 0.0}}}}},
                    {"c", {{0.5, 0.6, {{2, 0.5}}}}}};
  const Combination found = FastestWithin(0.7, costs);
  EXPECT_EQ(found.layers.at("c").channels, 0.5);
  EXPECT_EQ(found.layers.at("a").channels, 0);
  EXPECT_EQ(found.us, 5 + 40 + 40 + 20);
  EXPECT_LE(found.loss, 0.7);
  EXPECT_EQ(FastestWithin(1.2, costs).layers.at("a").channels, 1);
  EXPECT_EQ(FastestWithin(2, costs).us, 5 + 40 + 20);
}

TEST(Tradeoffs, GetFasterAsTheyLoseMore) {
  NetworkCosts costs = Chain();
  costs.channels = {{"a", {{0.5, 0.3, {{0, 0.5}}}, {1, 1.0, {{0, 0.0}}}}},
                    {"c", {{0.5, 0.6, {{2, 0.5}}}}}};
  const auto rows = Tradeoffs(costs);
  ASSERT_GE(rows.size(), 4u);
  for (size_t i = 1; i < rows.size(); ++i) {
    EXPECT_LT(rows[i].us, rows[i - 1].us);
    EXPECT_GE(rows[i].loss, rows[i - 1].loss);
  }
  EXPECT_EQ(rows.back().us, 5 + 40 + 20);
}

TEST(AnswerLoss, IsTheDivergenceOfSoftmaxes) {
  const std::vector<float> original = {0, 0, 1, 3};
  EXPECT_EQ(AnswerLoss(original, original, 2), 0);
  // A constant added to a row changes nothing.
  EXPECT_NEAR(AnswerLoss(original, {7, 7, 1, 3}, 2), 0, 1e-9);
  // p = (1/2, 1/2) against q = (3/4, 1/4), over two rows.
  const double t = kAnswerTemperature;
  const auto log3 = static_cast<float>(t * std::log(3.0));
  const double divergence =
      t * t * (0.5 * std::log(0.5 / 0.75) + 0.5 * std::log(0.5 / 0.25));
  EXPECT_NEAR(AnswerLoss(original, {log3, 0, 1, 3}, 2), divergence / 2, 1e-5);
  // Probabilities whose quotient is that of logits log3 and 0.
  const float p = 81.0f / 82.0f;
  EXPECT_NEAR(AnswerLoss({0.5f, 0.5f}, {p, 1 - p}, 2), divergence, 1e-3);
}

}  // namespace
}  // namespace stint
