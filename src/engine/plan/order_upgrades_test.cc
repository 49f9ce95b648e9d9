#include "engine/plan/order_upgrades.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace stint {
namespace {

// One slice per layer, losses from 2 bits on, units of 4 KiB.
PlanProblem ProblemOf(const std::vector<std::vector<double>>& losses) {
  PlanProblem problem;
  for (const std::vector<double>& of : losses) {
    PlanLayer& layer = problem.layers.emplace_back();
    layer.loss.resize(1);
    for (size_t b = 0; b < layer.loss[0].size(); ++b) {
      layer.loss[0][b] = of[std::min(b, of.size() - 1)];
    }
    layer.groups.resize(of.size(), {{0, 1, 4096}});
  }
  return problem;
}

std::string OrderOf(const PlanProblem& problem) {
  std::string text;
  for (const Upgrade& up : OrderUpgrades(problem)) {
    text += std::to_string(up.layer) + ":" + std::to_string(up.group) + " ";
  }
  return text;
}

TEST(OrderUpgrades, MostGainForItsBytesComesFirst) {
  PlanProblem problem = ProblemOf({{10, 4, 3}, {10, 5, 1}});
  EXPECT_EQ(OrderOf(problem), "0:1 1:1 1:2 0:2 ");
  problem.layers[0].groups[1][0].bytes = 8192;
  EXPECT_EQ(OrderOf(problem), "1:1 1:2 0:1 0:2 ");
}

TEST(OrderUpgrades, ABitWithoutGainDoesNotHideTheNext) {
  // Two bits of layer 0 gain 9 for 8 KiB, the first of layer 1 gains 4 for 4.
  EXPECT_EQ(OrderOf(ProblemOf({{10, 10, 1}, {10, 6, 5}})), "0:1 0:2 1:1 1:2 ");
}

TEST(OrderUpgrades, LowerGroupsOfTheSameSlicesComeFirst) {
  PlanProblem problem = ProblemOf({{10, 9, 1}});
  problem.layers[0].loss.push_back(problem.layers[0].loss[0]);
  problem.layers[0].groups = {
      {{0, 2, 8192}}, {{0, 2, 8192}}, {{0, 1, 4096}, {1, 1, 4096}}};
  const std::vector<Upgrade> order = OrderUpgrades(problem);
  ASSERT_EQ(order.size(), 3u);
  EXPECT_EQ(order[0].group, 1u);
  EXPECT_EQ(order[0].gain, 2);
}

}  // namespace
}  // namespace stint
