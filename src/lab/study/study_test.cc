#include "lab/study/study.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace stint {
namespace {

Study ThreeByTwo(int rounds, uint64_t seed) {
  Study study;
  study.name = "test";
  study.conditions = CrossAxes({{"batch", {"1", "8"}}});
  study.treatments = CrossAxes({{"runtime", {"a", "b", "c"}}});
  study.rounds = rounds;
  study.seed = seed;
  return study;
}

std::vector<std::string> Keys(const std::vector<Point>& points) {
  std::vector<std::string> keys;
  for (const Point& point : points) keys.push_back(point.Key());
  return keys;
}

TEST(Study, CrossesAxesWithTheLastFastest) {
  const auto settings = CrossAxes({{"x", {"1", "2"}}, {"y", {"a", "b"}}});
  ASSERT_EQ(settings.size(), 4u);
  EXPECT_EQ(ToString(settings[1]), "x=1 y=b");
  EXPECT_EQ(ValueOf(settings[2], "x"), "2");
  EXPECT_EQ(ValueOf(settings[2], "z"), "");
}

TEST(Study, NoAxisIsOneEmptySetting) { EXPECT_EQ(CrossAxes({}).size(), 1u); }

TEST(Schedule, WithoutACheckThereIsNoRoundZero) {
  Study study = ThreeByTwo(2, 1);
  study.check_round = false;
  const auto points = Schedule(study);
  EXPECT_EQ(points.size(), 2u * 3 * 2);
  for (const Point& point : points) EXPECT_GE(point.round, 1);
}

TEST(Schedule, HasEveryPointOnce) {
  const auto keys = Keys(Schedule(ThreeByTwo(5, 1)));
  EXPECT_EQ(keys.size(), 2u * 3 * 6);
  EXPECT_EQ(std::set<std::string>(keys.begin(), keys.end()).size(),
            keys.size());
}

TEST(Schedule, LeavesOutWhatIsNotPartOfTheStudy) {
  Study study = ThreeByTwo(2, 1);
  study.includes = [](const Setting& condition, const Setting& treatment) {
    return ValueOf(condition, "batch") == "1" ||
           ValueOf(treatment, "runtime") == "b";
  };
  std::map<std::string, int> counts;
  for (const Point& point : Schedule(study)) {
    ++counts[ToString(point.condition) + " " + ToString(point.treatment)];
  }
  EXPECT_EQ(counts, (std::map<std::string, int>{{"batch=1 runtime=a", 3},
                                                {"batch=1 runtime=b", 3},
                                                {"batch=1 runtime=c", 3},
                                                {"batch=8 runtime=b", 3}}));
}

TEST(Schedule, RoundZeroKeepsTheOrderGiven) {
  const auto points = Schedule(ThreeByTwo(2, 1));
  EXPECT_EQ(points[0].Key(), "batch=1 | runtime=a | round 0");
  EXPECT_EQ(points[5].Key(), "batch=8 | runtime=c | round 0");
}

TEST(Schedule, TreatmentsOfAConditionRunOneAfterTheOther) {
  const auto points = Schedule(ThreeByTwo(4, 3));
  for (size_t i = 6; i < points.size(); i += 3) {
    EXPECT_EQ(points[i].condition, points[i + 1].condition);
    EXPECT_EQ(points[i].condition, points[i + 2].condition);
    EXPECT_EQ(points[i].round, points[i + 2].round);
  }
}

TEST(Schedule, EachTreatmentStandsOnceAtEachPlace) {
  const auto points = Schedule(ThreeByTwo(3, 9));
  std::map<std::string, std::set<size_t>> places;
  for (size_t i = 6; i < points.size(); ++i) {
    places[ToString(points[i].condition) + ToString(points[i].treatment)]
        .insert(i % 3);
  }
  for (const auto& [treatment, seen] : places) {
    EXPECT_EQ(seen.size(), 3u) << treatment;
  }
}

TEST(Schedule, SeedDecidesTheOrder) {
  EXPECT_EQ(Keys(Schedule(ThreeByTwo(4, 1))), Keys(Schedule(ThreeByTwo(4, 1))));
  EXPECT_NE(Keys(Schedule(ThreeByTwo(4, 1))), Keys(Schedule(ThreeByTwo(4, 2))));
}

TEST(Shard, PartsTogetherHaveEveryConditionOnce) {
  Study study = ThreeByTwo(1, 1);
  study.conditions =
      CrossAxes({{"batch", {"1", "2", "3", "4", "5", "6", "7"}}});
  std::vector<Setting> all;
  for (int part = 1; part <= 3; ++part) {
    const Study shard = TakeShard(study, part, 3);
    EXPECT_GE(shard.conditions.size(), 2u);
    all.insert(all.end(), shard.conditions.begin(), shard.conditions.end());
  }
  EXPECT_EQ(all, study.conditions);
}

TEST(Shard, IsWrittenAsOneOfMany) {
  EXPECT_EQ(ParseShard("2/5")->number, 2);
  EXPECT_EQ(ParseShard("2/5")->parts, 5);
  for (const char* text : {"", "2", "0/3", "4/3", "1/3x", "a/b", "-1/2"}) {
    EXPECT_FALSE(ParseShard(text).ok()) << text;
  }
}

}  // namespace
}  // namespace stint
