#include "engine/elastic/plan_variants.h"

#include <gtest/gtest.h>

namespace stint {
namespace {

using std::chrono::milliseconds;

// Two layers of one slice: 40 kB at 2 bits, 20 kB for each bit more; a kB takes
// 10 us to read; a layer computes for 1 ms.
PlanProblem TwoLayers() {
  PlanProblem problem;
  problem.read.points = {{0, 0}, {1 << 20, 10e3 * 1024}};
  for (int k = 0; k < 2; ++k) {
    PlanLayer& layer = problem.layers.emplace_back();
    layer.groups = {{{0, 1, 40960}}, {{0, 1, 20480}}, {{0, 1, 20480}}};
    layer.loss = {{1, 0.3, 0.1, 0.1, 0.1, 0.1, 0.1}};
    layer.compute_ns = 1e6;
  }
  problem.fixed_bytes = 1'000'000;
  return problem;
}

TEST(PlanVariants, EachBudgetGetsItsOwnPlanInOrder) {
  Budget small, large, none;
  small.memory_bytes = 1'000'000 + 2 * 40960;
  small.latency = milliseconds(3);
  large.memory_bytes = 1'000'000 + 2 * 81920;
  large.latency = milliseconds(3);
  const Budget budgets[] = {small, large, none};
  const auto reports = PlanVariants(TwoLayers(), "elastic", budgets);
  ASSERT_EQ(reports.size(), 3u);
  for (const auto& report : reports) ASSERT_TRUE(report.ok());
  EXPECT_DOUBLE_EQ(reports[1]->mean_bits, 4);
  EXPECT_DOUBLE_EQ(reports[2]->mean_bits, 4);
  EXPECT_GT(reports[0]->loss, reports[1]->loss);
  EXPECT_LE(reports[0]->predicted_peak_bytes, small.memory_bytes);
  EXPECT_LE(reports[0]->predicted_ms, 3);
}

TEST(PlanVariants, WhatDoesNotFitIsInfeasible) {
  Budget budget;
  budget.memory_bytes = 1'000'000;
  const auto reports = PlanVariants(TwoLayers(), "elastic", {&budget, 1});
  EXPECT_EQ(reports[0].status().code(), StatusCode::kBudgetInfeasible);
}

TEST(PlanVariants, KeepsThePolicy) {
  const Budget budget;
  const auto reports = PlanVariants(TwoLayers(), "resident:3", {&budget, 1});
  ASSERT_TRUE(reports[0].ok());
  EXPECT_EQ(reports[0]->policy, "resident:3");
  EXPECT_DOUBLE_EQ(reports[0]->mean_bits, 3);
}

}  // namespace
}  // namespace stint
