#include "lab/tune/pick_winners.h"

#include <gtest/gtest.h>

namespace stint {
namespace {

ConvPlan Plan(const char* primitive, int chunk = 0) {
  return {primitive, {.chunk = chunk}};
}

NetworkTimes Times(double run, double a, double b) {
  return {run, {{"a", a}, {"b", b}}};
}

// Answers with prepared times, whatever it is asked; from the second look on
// with others, if there are any.
class FakeTimer : public NetworkTimer {
 public:
  explicit FakeTimer(std::vector<NetworkTimes> times,
                     std::vector<NetworkTimes> later = {})
      : times_(std::move(times)), later_(std::move(later)) {}
  Result<std::vector<NetworkTimes>> Time(
      const std::vector<NetworkVariant>& variants, double) override {
    EXPECT_EQ(variants.size(), times_.size());
    return looks_++ > 0 && !later_.empty() ? later_ : times_;
  }
  int looks() const { return looks_; }

 private:
  std::vector<NetworkTimes> times_;
  std::vector<NetworkTimes> later_;
  int looks_ = 0;
};

ConvSchedules Both() {
  ConvSchedules set;
  set.Set("a", {Plan("direct"), 5, 10});
  set.Set("b", {Plan("winograd4"), 5, 10});
  return set;
}

ConvSchedules Fixed() {
  ConvSchedules set;
  set.Set("a", {Plan("direct", 7), 0, 0});
  set.Set("b", {Plan("direct", 7), 0, 0});
  return set;
}

TEST(MakeFinalists, TakesTheBestThenOtherKinds) {
  const LayerFinds found{"a",
                         Plan("im2col"),
                         10,
                         {{Plan("direct", 1), 5},
                          {Plan("direct", 2), 5.1},
                          {Plan("winograd4"), 5.5},
                          {Plan("spatial"), 9}}};
  const auto sets = MakeFinalists({found, {"b", {}, 0, {}}}, 3);
  ASSERT_EQ(sets.size(), 3u);
  EXPECT_EQ(sets[0].Find("a")->plan, Plan("direct", 1));
  EXPECT_EQ(sets[1].Find("a")->plan, Plan("winograd4"));
  EXPECT_EQ(sets[2].Find("a")->plan, Plan("direct", 1));
  EXPECT_EQ(sets[0].Find("b"), nullptr);
}

TEST(MakeFinalists, HasNoScheduleThatRunsAnyway) {
  const LayerFinds found{
      "a", Plan("direct"), 10, {{Plan("direct"), 10}, {Plan("im2col"), 10.5}}};
  const auto sets = MakeFinalists({found}, 2);
  EXPECT_EQ(sets[0].Find("a"), nullptr);
  EXPECT_EQ(sets[1].Find("a")->plan, Plan("im2col"));
}

TEST(PickWinners, TakesForEachLayerTheSetThatIsFastestInTheNetwork) {
  ConvSchedules first = Both();
  ConvSchedules second = Both();
  second.Set("a", {Plan("spatial"), 6, 10});
  const ConvSchedules winners = PickWinners(
      {first, second}, {Times(30, 10, 10), Times(25, 8, 9), Times(25, 7, 9.5)});
  EXPECT_EQ(winners.Find("a")->plan, Plan("spatial"));
  EXPECT_EQ(winners.Find("b")->plan, Plan("winograd4"));
}

TEST(PickWinners, LeavesALayerThatGainsNothing) {
  const ConvSchedules winners =
      PickWinners({Both()}, {Times(30, 10, 10), Times(25, 9.95, 8)});
  EXPECT_EQ(winners.Find("a"), nullptr);
  EXPECT_NE(winners.Find("b"), nullptr);
}

TEST(JudgeWinners, KeepsWhatIsFasterThanBoth) {
  ConvSchedules winners = Both();
  FakeTimer timer({Times(40, 12, 12), Times(30, 10, 10), Times(25, 8, 8)});
  const auto verdict = JudgeWinners(Fixed(), &timer, 1, &winners);
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(winners.layers().size(), 2u);
  EXPECT_EQ(verdict->tuned.run_us, 25);
  EXPECT_EQ(verdict->untuned.run_us, 40);
  EXPECT_EQ(timer.looks(), 1);
}

TEST(JudgeWinners, LooksAgainBeforeItDropsThem) {
  ConvSchedules winners = Both();
  FakeTimer timer({Times(40, 12, 12), Times(90, 30, 30), Times(80, 28, 27)},
                  {Times(45, 13, 13), Times(30, 10, 10), Times(25, 8, 8)});
  const auto verdict = JudgeWinners(Fixed(), &timer, 1, &winners);
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(timer.looks(), 2);
  EXPECT_EQ(winners.layers().size(), 2u);
  EXPECT_EQ(verdict->tuned.run_us, 25);
  EXPECT_EQ(verdict->untuned.run_us, 40);
}

TEST(JudgeWinners, DropsALayerThatTurnsOutSlower) {
  ConvSchedules winners = Both();
  FakeTimer timer({Times(40, 12, 12), Times(30, 10, 10), Times(25, 8, 11)});
  ASSERT_TRUE(JudgeWinners(Fixed(), &timer, 1, &winners).ok());
  EXPECT_NE(winners.Find("a"), nullptr);
  EXPECT_EQ(winners.Find("b"), nullptr);
}

TEST(JudgeWinners, KeepsNothingWhereTheDefaultIsFastest) {
  ConvSchedules winners = Both();
  FakeTimer timer({Times(40, 12, 12), Times(30, 10, 10), Times(31, 8, 8)});
  const auto verdict = JudgeWinners(Fixed(), &timer, 1, &winners);
  ASSERT_TRUE(verdict.ok());
  EXPECT_TRUE(winners.layers().empty());
  EXPECT_EQ(verdict->tuned.run_us, 30);
}

TEST(JudgeWinners, KeepsTheFixedScheduleWhereThatIsFastest) {
  for (double tuned : {29, 31}) {
    ConvSchedules winners = Both();
    FakeTimer timer({Times(28, 12, 12), Times(30, 10, 10), Times(tuned, 8, 8)});
    const auto verdict = JudgeWinners(Fixed(), &timer, 1, &winners);
    ASSERT_TRUE(verdict.ok());
    EXPECT_EQ(winners.Find("a")->plan, Plan("direct", 7));
    EXPECT_EQ(winners.Find("b")->plan, Plan("direct", 7));
    EXPECT_EQ(verdict->tuned.run_us, 28);
  }
}

}  // namespace
}  // namespace stint
