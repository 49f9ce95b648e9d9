#include "engine/elastic/run_history.h"

#include <gtest/gtest.h>

namespace stint {
namespace {

void AddRuns(double compute, double latency, int count, RunHistory* history) {
  for (int i = 0; i < count; ++i) {
    history->Add({compute, 100, latency, 200});
  }
}

TEST(RunHistory, NoticesASlowerMachineAfterManyRuns) {
  RunHistory history;
  AddRuns(150, 250, 20, &history);
  EXPECT_FALSE(history.Drifted(95, 1.1));
  AddRuns(150, 250, 20, &history);
  EXPECT_TRUE(history.Drifted(95, 1.1));
  EXPECT_NEAR(history.compute_scale(), 1.5, 1e-9);
  EXPECT_EQ(history.read_scale(), 1);
}

TEST(RunHistory, IsSlowerToChangeEachTime) {
  RunHistory history;
  AddRuns(150, 250, 32, &history);
  EXPECT_TRUE(history.Drifted(95, 1.1));
  history.Restart();
  AddRuns(50, 100, 32, &history);
  EXPECT_FALSE(history.Drifted(95, 1.1));
  AddRuns(50, 100, 32, &history);
  EXPECT_TRUE(history.Drifted(95, 1.1));
}

TEST(RunHistory, NoticesSlowerStorage) {
  RunHistory history;
  AddRuns(100, 300, 40, &history);
  EXPECT_TRUE(history.Drifted(95, 1.1));
  EXPECT_EQ(history.compute_scale(), 1);
  EXPECT_NEAR(history.read_scale(), 1.5, 1e-9);
}

TEST(RunHistory, ManyMissesLeadToMoreRoom) {
  RunHistory history;
  AddRuns(100, 210, 28, &history);
  AddRuns(100, 226, 4, &history);
  EXPECT_TRUE(history.Drifted(95, 1.1));  // 226 / 200 is more than 1.1
  EXPECT_EQ(history.compute_scale(), 1);
  EXPECT_EQ(history.read_scale(), 1);
  EXPECT_NEAR(history.Slowdown(95), 1.13 * 1.02, 1e-9);
  EXPECT_FALSE(history.Drifted(95, 1.15));
}

TEST(RunHistory, IgnoresABurst) {
  RunHistory history;
  AddRuns(100, 200, 30, &history);
  AddRuns(500, 700, 1, &history);
  EXPECT_FALSE(history.Drifted(95, 1.1));
}

TEST(RunHistory, SpreadComesFromRuns) {
  RunHistory history;
  EXPECT_EQ(history.Slowdown(50), 1);
  const double first = history.Slowdown(95);
  EXPECT_GT(first, 1);
  AddRuns(100, 200, 30, &history);
  EXPECT_EQ(history.Slowdown(95), first);  // too few
  AddRuns(100, 300, 2, &history);
  EXPECT_GE(history.Slowdown(99), 1.1);
  history.Restart();
  EXPECT_GE(history.Slowdown(99), 1.1);  // still known
}

TEST(RunHistory, OneQuietWindowDoesNotForgetASpread) {
  RunHistory history;
  AddRuns(100, 200, 24, &history);
  AddRuns(100, 280, 8, &history);
  history.Restart();
  AddRuns(100, 200, 32, &history);
  history.Restart();
  EXPECT_NEAR(history.Slowdown(95), 1.4 * 1.02, 1e-9);
  for (int window = 0; window < 8; ++window) {
    AddRuns(100, 200, 32, &history);
    history.Restart();
  }
  EXPECT_LT(history.Slowdown(95), 1.1);
}

}  // namespace
}  // namespace stint
