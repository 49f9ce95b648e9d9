#include "engine/elastic/costs/run_history.h"

#include <gtest/gtest.h>

namespace stint {
namespace {

constexpr int64_t kRunNs = 10'000'000;

class RunHistoryTest : public testing::Test {
 protected:
  // Runs of 10 ms, whatever their latency counts.
  void AddRuns(double compute, double latency, int count) {
    for (int i = 0; i < count; ++i) {
      now_ns_ += kRunNs;
      history_.Add({compute, 100, latency, 200}, now_ns_);
    }
  }
  // That compute all the time.
  void AddRuns(double ratio, int count) {
    for (int i = 0; i < count; ++i) {
      now_ns_ += kRunNs;
      history_.Add({200 * ratio, 200, 200 * ratio, 200}, now_ns_);
    }
  }
  bool Drifted(double slowdown, double room = 1) {
    return history_.Drifted(95, {slowdown, room}, now_ns_);
  }
  void Restart() { history_.Restart(now_ns_); }
  // How many runs of a ratio it takes until there is drift.
  int RunsUntilDrift(double ratio, double slowdown) {
    int runs = 0;
    do {
      AddRuns(ratio, 1);
      ++runs;
    } while (!Drifted(slowdown) && runs < 10'000);
    return runs;
  }

  int64_t now_ns_ = 1;
  RunHistory history_;
};

TEST_F(RunHistoryTest, WithoutRunsThereIsSomeRoom) {
  EXPECT_EQ(history_.Slowdown(50), 1);
  EXPECT_EQ(history_.Slowdown(95), RunHistory::kFirstSlowdown);
  EXPECT_GT(history_.Slowdown(99), history_.Slowdown(95));
  EXPECT_EQ(RunHistory(1.5).Slowdown(95), 1.5);
  EXPECT_EQ(history_.busy(), 1);
}

TEST_F(RunHistoryTest, APlanThatIsTooSlowIsLeftAfterAFewRuns) {
  AddRuns(1, 200);
  Restart();
  EXPECT_LE(RunsUntilDrift(3, 1.1), 16);
  EXPECT_GT(history_.Slowdown(95), 1.1);
}

TEST_F(RunHistoryTest, ItsFirstRunsAreEnoughIfAllAreSlow) {
  EXPECT_LE(RunsUntilDrift(3, 1.3), 8);
}

TEST_F(RunHistoryTest, TheFirstRunMeetsColdCaches) {
  AddRuns(5, 1);
  AddRuns(1, 200);
  EXPECT_NEAR(history_.Slowdown(95), 1, 1e-9);
}

TEST_F(RunHistoryTest, OneSlowRunIsNoDrift) {
  AddRuns(1, 40);
  AddRuns(10, 1);
  EXPECT_FALSE(Drifted(1.1));
}

TEST_F(RunHistoryTest, APlanFarWithinTheBudgetMayBeSlow) {
  AddRuns(2, 100);
  EXPECT_FALSE(Drifted(1.1, 2));
  EXPECT_TRUE(Drifted(1.1, 1.5));
}

TEST_F(RunHistoryTest, ABusyMachineIsToldAndFollowed) {
  AddRuns(1, 500);
  EXPECT_NEAR(history_.busy(), 1, 1e-9);
  const int64_t began_ns = now_ns_;
  (void)RunsUntilDrift(2, 1.1);
  EXPECT_LT(now_ns_ - began_ns, 500'000'000);
  Restart();
  AddRuns(2, 300);
  EXPECT_NEAR(history_.busy(), 2, 1e-9);
  EXPECT_NEAR(history_.Slowdown(95), 2, 1e-9);
}

TEST_F(RunHistoryTest, RoomIsGivenBackSecondsAfterTheMachineIsQuiet) {
  AddRuns(2, 500);
  Restart();
  AddRuns(2, 500);
  const int64_t ended_ns = now_ns_;
  (void)RunsUntilDrift(1, 2);
  EXPECT_GT(now_ns_ - ended_ns, 1'000'000'000);
  EXPECT_LT(now_ns_ - ended_ns, 4'000'000'000);
  EXPECT_LT(history_.Slowdown(95), 1.1);
}

TEST_F(RunHistoryTest, RoomThatIsMissedAtOnceIsGivenBackMoreSlowly) {
  AddRuns(2, 300);
  int64_t pause_ns = 0;
  for (int change = 0; change < 5; ++change) {
    Restart();
    const int64_t began_ns = now_ns_;
    (void)RunsUntilDrift(1, 2);
    pause_ns = now_ns_ - began_ns;
    Restart();
    (void)RunsUntilDrift(2, 1);
  }
  EXPECT_GE(pause_ns, 2'000'000'000);
  EXPECT_LE(pause_ns, 3'000'000'000);
}

TEST_F(RunHistoryTest, RareRunsCountHoweverOldTheyAre) {
  AddRuns(1, 4);
  for (int i = 0; i < 5; ++i) {
    now_ns_ += 60'000'000'000;
    AddRuns(3, 1);
  }
  EXPECT_TRUE(Drifted(1.3));
}

TEST_F(RunHistoryTest, SlowerStorageIsLearned) {
  AddRuns(100, 300, 7);
  EXPECT_FALSE(Drifted(1.6));
  AddRuns(100, 300, 13);
  EXPECT_TRUE(Drifted(1.6));
  EXPECT_NEAR(history_.read_scale(), 1.5, 1e-9);
  EXPECT_NEAR(history_.busy(), 1, 1e-9);
  AddRuns(100, 200, 80);
  EXPECT_NEAR(history_.Slowdown(95), 1, 1e-9);
}

TEST_F(RunHistoryTest, SlowerComputationIsNotTakenForSlowerStorage) {
  AddRuns(200, 300, 100);  // as long again, beside the same 100 of waiting
  EXPECT_TRUE(Drifted(1.3));
  EXPECT_EQ(history_.read_scale(), 1);
}

TEST_F(RunHistoryTest, KnowsAfterSomeRuns) {
  AddRuns(1, 10);
  EXPECT_FALSE(history_.Knows());
  AddRuns(1, 100);
  EXPECT_TRUE(history_.Knows());
}

}  // namespace
}  // namespace stint
